import { signal, type ReadonlySignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';

const ROWS = '.table-scroll';

/**
 * True while no row may move: the pointer is in the panel, or the focus or a selection in its rows.
 */
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
    // Not pointerenter: the pointer may have been here before the panel was.
    const entered = () => {
      pointer = true;
      judge();
    };
    const left = () => {
      pointer = false;
      judge();
    };
    // The focus is on its new place only after the event.
    const later = () => queueMicrotask(judge);
    element.addEventListener('pointerover', entered);
    element.addEventListener('pointerleave', left);
    element.addEventListener('focusin', judge);
    element.addEventListener('focusout', later);
    document.addEventListener('selectionchange', judge);
    return () => {
      element.removeEventListener('pointerover', entered);
      element.removeEventListener('pointerleave', left);
      element.removeEventListener('focusin', judge);
      element.removeEventListener('focusout', later);
      document.removeEventListener('selectionchange', judge);
    };
  }, [box, hold]);
  return hold;
}
