import { Component, type ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Failure } from '../components/panel';
import { ShortcutSheet } from '../components/shortcut-sheet';
import { TipLayer } from '../components/tip';
import { announcement } from '../lib/announce';
import { ApiError } from '../lib/http';
import { text } from '../lib/messages';
import { now } from '../lib/now';
import { clockSkew } from '../lib/skew';
import { formatDuration } from '../lib/time';
import { SignInDialog, SignInPage } from '../pages/sign-in';
import { openFeed } from './live';
import { pageAt, type ProjectPage } from './pages';
import { overviewPath, path, projectInPath, replace } from './router';
import { checkSession, endsAt, expire, me, phase, sessionError, token } from './session';
import { Shell } from './shell';

/** A page that breaks leaves the shell standing. */
class Boundary extends Component<{ children: ComponentChildren }, { broken: Error | null }> {
  override state = { broken: null };

  static override getDerivedStateFromError(broken: Error): { broken: Error } {
    return { broken };
  }

  override render() {
    const broken: Error | null = this.state.broken;
    if (broken === null) return this.props.children;
    return (
      <div class="panel notice" role="alert">
        <h1>{text.unreadable}</h1>
        <pre tabIndex={0}>{String(broken)}</pre>
        <button type="button" class="button" onClick={() => window.location.reload()}>
          {text.reload}
        </button>
      </div>
    );
  }
}

function Notice({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="panel notice">
      <h1 tabIndex={-1}>{title}</h1>
      <p>{children}</p>
    </div>
  );
}

function SessionWarning() {
  const end = endsAt.value;
  if (end === null || phase.value !== 'signedIn') return null;
  const left = Math.max(0, end - (now.value - clockSkew.value));
  return (
    <p class="banner" role="status">
      {text.signIn.endsSoon(formatDuration(Math.ceil(left / 10_000) * 10_000))}
      <button type="button" class="button small" onClick={expire}>
        {text.signIn.extend}
      </button>
    </p>
  );
}

function ProjectView({ project }: { project: string }) {
  const route = pageAt(path.value);
  // The feed closes with the session and opens again with the next one.
  // The server closes a socket when its token ends, so a renewed token takes another one.
  const open = phase.value === 'signedIn' ? token.value : null;
  useEffect(() => (open ? openFeed(project) : undefined), [project, open]);
  useEffect(() => {
    if (!route) return;
    document.title = `${route.title} · ${project} · ${text.product}`;
    route.page.load();
  }, [route, project]);
  if (!route) {
    return (
      <Notice title={text.missing.title}>
        {text.missing.detail}{' '}
        <a class="link" href={overviewPath(project)}>
          {text.nav.overview}
        </a>
      </Notice>
    );
  }
  const Page = route.page.loaded.value;
  return Page ? (
    <ArrivedPage key={project} Page={Page} project={project} />
  ) : (
    <h1 class="only-spoken">{text.loading}</h1>
  );
}

let arrivals = 0;

/** Whoever goes to another page hears its heading; the first page starts at its top. */
function ArrivedPage({ Page, project }: { Page: ProjectPage; project: string }) {
  useEffect(() => {
    arrivals += 1;
    if (arrivals > 1) document.querySelector<HTMLElement>('main h1')?.focus();
  }, []);
  return <Page project={project} />;
}

/** Where the address names no project, the first of the person's is opened. */
function SignedIn() {
  const projects = me.value?.projects ?? [];
  const first = projects[0]?.project;
  const named = projectInPath.value;
  useEffect(() => {
    if (named === null && first !== undefined) replace(overviewPath(first));
  }, [named, first]);
  const known = projects.some(({ project }) => project === named);
  return (
    <Shell project={named} known={known}>
      <SessionWarning />
      <Boundary key={named}>
        {known && named !== null && <ProjectView project={named} />}
        {!known && named !== null && (
          <Notice title={text.project.unknownTitle}>{text.project.unknown(named)}</Notice>
        )}
        {named === null && first === undefined && (
          <Notice title={text.project.noneTitle}>{text.project.none}</Notice>
        )}
      </Boundary>
    </Shell>
  );
}

function Announcements() {
  return (
    <p class="only-spoken" aria-live="polite">
      {announcement.value}
    </p>
  );
}

export function App() {
  const current = phase.value;
  return (
    <>
      {current === 'signedOut' && <SignInPage />}
      {current === 'unreachable' && (
        <main class="sign-in">
          <div class="panel">
            <h1 class="only-spoken">{text.signIn.unreachable}</h1>
            <Failure
              error={sessionError.value ?? new ApiError(0, text.signIn.unreachable, {})}
              onRetry={() => void checkSession()}
            />
          </div>
        </main>
      )}
      {(current === 'signedIn' || current === 'expired') && <SignedIn />}
      {current === 'expired' && <SignInDialog />}
      <ShortcutSheet />
      <TipLayer />
      <Announcements />
    </>
  );
}
