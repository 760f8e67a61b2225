import { signal, type ReadonlySignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';

const ROWS = '.table-scroll';

/** True while the pointer, the focus or a text selection is in the rows: then none may move. */
export function useHold(box: RefObject<HTMLElement | null>): ReadonlySignal<boolean> {
  const hold = useMemo(() => signal(false), []);
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    let pointer = false;
    const inRows = (node: Node | null) => {
      const at = node instanceof Element ? node : node?.parentElement;
      return element.contains(node) && at?.closest(ROWS) !== null;
    };
    const judge = () => {
      const selection = document.getSelection();
      const selected = selection !== null && !selection.isCollapsed;
      hold.value =
        pointer || inRows(document.activeElement) || (selected && inRows(selection.anchorNode));
    };
    const moved = (event: Event) => {
      pointer = inRows(event.target as Element);
      judge();
    };
    const left = () => {
      pointer = false;
      judge();
    };
    // The focus is on its new place only after the event.
    const later = () => queueMicrotask(judge);
    element.addEventListener('pointerover', moved);
    element.addEventListener('pointerleave', left);
    element.addEventListener('focusin', judge);
    element.addEventListener('focusout', later);
    document.addEventListener('selectionchange', judge);
    return () => {
      element.removeEventListener('pointerover', moved);
      element.removeEventListener('pointerleave', left);
      element.removeEventListener('focusin', judge);
      element.removeEventListener('focusout', later);
      document.removeEventListener('selectionchange', judge);
    };
  }, [box, hold]);
  return hold;
}
