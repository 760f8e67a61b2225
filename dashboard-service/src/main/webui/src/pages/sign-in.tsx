import { useEffect, useRef, useState } from 'preact/hooks';
import { me, phase, signIn, signOut } from '../app/session';
import { BrandIcon } from '../components/icons';
import { ApiError } from '../lib/http';
import { text } from '../lib/messages';

function reason(error: unknown): string {
  if (!(error instanceof ApiError)) return String(error);
  if (error.status === 401) return text.signIn.wrong;
  return error.detail ? `${error.message}. ${error.detail}` : error.message;
}

/** Email and password; friendly to password managers and to pasting. */
function SignInForm({ email }: { email: string }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const form = useRef<HTMLFormElement>(null);

  useEffect(() => {
    form.current?.querySelector<HTMLInputElement>(email ? '#password' : '#email')?.focus();
  }, [email]);

  const submit = async (event: Event) => {
    event.preventDefault();
    if (busy || !form.current) return;
    const entered = new FormData(form.current);
    setBusy(true);
    setError(null);
    try {
      await signIn(String(entered.get('email')), String(entered.get('password')));
    } catch (failure) {
      setError(reason(failure));
      setBusy(false);
      form.current?.querySelector<HTMLInputElement>('#password')?.select();
    }
  };

  const described = error ? { 'aria-describedby': 'sign-in-error', 'aria-invalid': true } : {};
  return (
    <form ref={form} class="form" onSubmit={(event) => void submit(event)}>
      <label for="email">{text.signIn.email}</label>
      <input
        id="email"
        name="email"
        type="text"
        inputMode="email"
        autoComplete="username"
        autoCapitalize="none"
        spellcheck={false}
        required
        defaultValue={email}
        {...described}
      />
      <label for="password">{text.signIn.password}</label>
      <input
        id="password"
        name="password"
        type="password"
        autoComplete="current-password"
        required
        {...described}
      />
      <p id="sign-in-error" class="form-error" role="alert">
        {error}
      </p>
      <button type="submit" class="button primary" aria-disabled={busy}>
        {busy ? text.signIn.busy : text.signIn.submit}
      </button>
    </form>
  );
}

/** The page for whoever has no session; the address stays, and is opened afterwards. */
export function SignInPage() {
  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <p class="brand">
          <BrandIcon />
          {text.product}
        </p>
        <h1>{text.signIn.title}</h1>
        <SignInForm email="" />
      </div>
    </main>
  );
}

/** Over a page whose session has ended: nothing below is lost. */
export function SignInDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // The dialog puts the focus on its first field, which is filled in already.
    element?.querySelector<HTMLInputElement>('#password')?.focus();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby="again-title"
      onCancel={(event) => event.preventDefault()}
      // A second Escape closes it all the same; without a session there is nothing behind it.
      onClose={() => {
        if (phase.peek() === 'expired') dialog.current?.showModal();
      }}
    >
      <h2 id="again-title">{text.signIn.again}</h2>
      <p class="meta">{text.signIn.againHint}</p>
      <SignInForm email={me.value?.email ?? ''} />
      <button type="button" class="button quiet" onClick={signOut}>
        {text.signIn.otherUser}
      </button>
    </dialog>
  );
}
