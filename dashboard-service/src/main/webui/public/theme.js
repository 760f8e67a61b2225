// Runs before the first paint, so that a chosen theme never flashes the other one.
(function () {
  try {
    var theme = localStorage.getItem('jobs.theme');
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  } catch {
    // Storage is switched off: the system's theme it is.
  }
})();
