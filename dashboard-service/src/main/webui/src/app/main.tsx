import { render } from 'preact';
import '../styles/tokens.css';
import '../styles/base.css';
import '../styles/shell.css';
import '../styles/content.css';
import { startTicker } from '../lib/now';
import { App } from './app';
import { startLive } from './live';
import { pageAt } from './pages';
import { startRouter } from './router';
import { checkSession } from './session';
import { startShortcuts } from './shortcuts';

startTicker();
startRouter();
startLive();
startShortcuts();
// The page's code and the session are fetched side by side.
pageAt(window.location.pathname)?.page.load();
void checkSession();

const root = document.getElementById('app');
if (root) render(<App />, root);
