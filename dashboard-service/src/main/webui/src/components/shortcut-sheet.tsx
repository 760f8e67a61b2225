import { useEffect, useRef } from 'preact/hooks';
import { setShortcuts, shortcutsOn } from '../app/settings';
import { helpOpen, SHORTCUTS } from '../app/shortcuts';
import { text } from '../lib/messages';

function Keys({ keys }: { keys: string[] }) {
  return (
    <>
      {keys.map((key) => (
        <kbd key={key}>{/^[A-Z]$/.test(key) ? `Shift ${key}` : key}</kbd>
      ))}
    </>
  );
}

/** The `?` sheet: what each key does, and the switch that turns single keys off. */
export function ShortcutSheet() {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = helpOpen.value;
  useEffect(() => {
    if (open) dialog.current?.showModal();
  }, [open]);
  if (!open) return null;
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby="shortcuts-title"
      onClose={() => {
        helpOpen.value = false;
      }}
    >
      <h2 id="shortcuts-title">{text.shortcuts.title}</h2>
      <dl class="shortcuts">
        {SHORTCUTS.map(({ keys, label }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <Keys keys={keys} />
            </dd>
          </div>
        ))}
        <div>
          <dt>{text.shortcuts.rows}</dt>
          <dd>
            <Keys keys={['j', 'k']} />
          </dd>
        </div>
        <div>
          <dt>{text.shortcuts.escape}</dt>
          <dd>
            <Keys keys={['Esc']} />
          </dd>
        </div>
      </dl>
      <label class="switch">
        <input
          type="checkbox"
          checked={shortcutsOn.value}
          onChange={(event) => setShortcuts(event.currentTarget.checked)}
        />
        {text.shortcuts.enabled}
      </label>
      <button type="button" class="button" onClick={() => dialog.current?.close()}>
        {text.close}
      </button>
    </dialog>
  );
}
