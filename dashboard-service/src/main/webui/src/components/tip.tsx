import { useEffect, useRef } from 'preact/hooks';

const GAP = 6;

/**
 * The one tooltip of the page: shows the `data-tip` of what is hovered or focused, or the first
 * one inside a focused table row. Can be hovered itself; Escape closes it (WCAG 1.4.13).
 */
export function TipLayer() {
  const layer = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const tip = layer.current;
    if (!tip) return undefined;
    const hide = () => {
      tip.hidden = true;
    };
    const show = (target: HTMLElement) => {
      tip.textContent = target.dataset['tip'] ?? '';
      tip.hidden = false;
      const at = target.getBoundingClientRect();
      const size = tip.getBoundingClientRect();
      const above = at.top - size.height - GAP;
      const left = Math.min(at.left, window.innerWidth - size.width - GAP);
      tip.style.top = `${above > 0 ? above : at.bottom + GAP}px`;
      tip.style.left = `${Math.max(GAP, left)}px`;
    };
    const hovered = (event: Event) => {
      const element = event.target as HTMLElement;
      if (tip.contains(element)) return;
      const target = element.closest<HTMLElement>('[data-tip]');
      if (target) show(target);
      else hide();
    };
    const focused = (event: Event) => {
      const element = event.target as HTMLElement;
      if (!element.matches(':focus-visible')) return;
      const target = element.closest<HTMLElement>('[data-tip]');
      const inside = element.matches('tr')
        ? element.querySelector<HTMLElement>('[data-tip]')
        : null;
      if (target ?? inside) show((target ?? inside) as HTMLElement);
      else hide();
    };
    const pressed = (event: KeyboardEvent) => {
      if (event.key === 'Escape') hide();
    };
    document.addEventListener('pointerover', hovered);
    document.addEventListener('focusin', focused);
    document.addEventListener('keydown', pressed);
    window.addEventListener('scroll', hide, { passive: true, capture: true });
    return () => {
      document.removeEventListener('pointerover', hovered);
      document.removeEventListener('focusin', focused);
      document.removeEventListener('keydown', pressed);
      window.removeEventListener('scroll', hide, { capture: true });
    };
  }, []);
  return <div ref={layer} class="tip" role="tooltip" hidden />;
}
