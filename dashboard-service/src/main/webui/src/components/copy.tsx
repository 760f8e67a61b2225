import { useState } from 'preact/hooks';
import { text } from '../lib/messages';

/** Copies; plain HTTP has no clipboard API, so the older way stands behind it. */
async function copy(content: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(content);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = content;
    area.className = 'only-spoken';
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}

/** A command to take along. */
export function CopyBlock({ content }: { content: string }) {
  const [copied, setCopied] = useState(false);
  return (
    <div class="copy-block">
      <pre tabIndex={0}>{content}</pre>
      <button
        type="button"
        class="button"
        onClick={() => {
          void copy(content).then(setCopied);
        }}
      >
        <span aria-live="polite">{copied ? text.jobs.copied : text.jobs.copy}</span>
      </button>
    </div>
  );
}
