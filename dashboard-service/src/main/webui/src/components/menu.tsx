import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface MenuItem {
  label: string;
  hint?: string | undefined;
  checked?: boolean | undefined;
  href?: string | undefined;
  onSelect?: () => void;
}

interface MenuProps {
  label: string;
  button: ComponentChildren;
  /** Static lines above the items. */
  header?: ComponentChildren;
  items: MenuItem[];
  align?: 'start' | 'end';
  class?: string;
}

/** A button that opens a menu: arrows walk, Escape and a click outside close, focus returns. */
export function Menu({ label, button, header, items, align = 'start', class: name }: MenuProps) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);

  // Before the next event: run after an Escape, it would give the focus to an entry that is going.
  useLayoutEffect(() => {
    if (open) root.current?.querySelector<HTMLElement>('[role^="menuitem"]')?.focus();
  }, [open]);

  useEffect(() => {
    if (!open) return undefined;
    const outside = (event: Event) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', outside);
    return () => document.removeEventListener('pointerdown', outside);
  }, [open]);

  const close = () => {
    setOpen(false);
    opener.current?.focus();
  };

  const pressed = (event: KeyboardEvent) => {
    const entries = [...(root.current?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])];
    const at = entries.indexOf(document.activeElement as HTMLElement);
    const last = entries.length - 1;
    const moves: Record<string, number> = {
      ArrowDown: at === last ? 0 : at + 1,
      ArrowUp: at <= 0 ? last : at - 1,
      Home: 0,
      End: last,
    };
    if (event.key === 'Escape') {
      event.stopPropagation();
      close();
    } else if (event.key === 'Tab') {
      setOpen(false);
    } else {
      const to = moves[event.key];
      if (to === undefined) return;
      event.preventDefault();
      entries[to]?.focus();
    }
  };

  return (
    <div class={`menu ${name ?? ''}`} ref={root} onKeyDown={open ? pressed : undefined}>
      <button
        ref={opener}
        type="button"
        class="button"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {button}
      </button>
      {open && (
        <div class={`menu-list menu-${align}`}>
          {header}
          <div role="menu" aria-label={label}>
            {items.map((item) => (
              <MenuEntry key={item.label} item={item} close={close} />
            ))}
          </div>
        </div>
      )}
    </div>
  );
}

function MenuEntry({ item, close }: { item: MenuItem; close: () => void }) {
  const role = item.checked === undefined ? 'menuitem' : 'menuitemradio';
  const content = (
    <>
      <span>{item.label}</span>
      {item.hint && <span class="meta">{item.hint}</span>}
    </>
  );
  const chosen = () => {
    close();
    item.onSelect?.();
  };
  const common = { role, class: 'menu-item', tabIndex: -1, onClick: chosen } as const;
  const checked = item.checked === undefined ? {} : { 'aria-checked': item.checked };
  return item.href ? (
    <a {...common} {...checked} href={item.href}>
      {content}
    </a>
  ) : (
    <button type="button" {...common} {...checked}>
      {content}
    </button>
  );
}
