import type { ComponentChildren } from 'preact';
import { LivePill } from '../components/live-pill';
import {
  BrandIcon,
  ChevronIcon,
  MoonIcon,
  OverviewIcon,
  PersonIcon,
  SunIcon,
  SystemIcon,
} from '../components/icons';
import { Menu } from '../components/menu';
import { text } from '../lib/messages';
import { clockSkew } from '../lib/skew';
import { formatClock, zoneName } from '../lib/time';
import { status } from './live';
import { overviewPath, path } from './router';
import { me, signOut } from './session';
import { absoluteTimes, nextTheme, theme, toggleAbsolute, toggleZone, zone } from './settings';
import { helpOpen } from './shortcuts';

const THEME_ICONS = { system: SystemIcon, light: SunIcon, dark: MoonIcon };

function ThemeToggle() {
  const Icon = THEME_ICONS[theme.value];
  const label = text.theme.label(text.theme[theme.value]);
  return (
    <button
      type="button"
      class="button quiet icon-only"
      aria-label={label}
      data-tip={label}
      onClick={nextTheme}
    >
      <Icon />
    </button>
  );
}

function ProjectSwitcher({ project }: { project: string | null }) {
  const projects = me.value?.projects ?? [];
  return (
    <Menu
      class="switcher"
      label={`${text.project.switcher}: ${project ?? text.none}`}
      align="start"
      button={
        <>
          <span class="cut">{project ?? text.project.noneTitle}</span>
          <ChevronIcon />
        </>
      }
      items={projects.map((access) => ({
        label: access.project,
        hint: access.role,
        checked: access.project === project,
        href: overviewPath(access.project),
      }))}
    />
  );
}

function UserMenu({ project }: { project: string | null }) {
  const user = me.value;
  const role = user?.projects.find((access) => access.project === project)?.role;
  return (
    <Menu
      class="user"
      label={text.user.menu(user?.name ?? user?.email ?? '')}
      align="end"
      button={
        <>
          <PersonIcon />
          <span class="user-name cut">{user?.name ?? user?.email}</span>
        </>
      }
      header={
        <div class="menu-header">
          <span class="strong">{user?.name ?? user?.email}</span>
          {user?.name && <span class="meta">{user.email}</span>}
          <span class="meta">{user?.platformAdmin ? text.user.platformAdmin : role}</span>
        </div>
      }
      items={[
        { label: text.user.zone(zoneName(zone.value)), hint: 'z', onSelect: toggleZone },
        {
          label: absoluteTimes.value ? text.user.relative : text.user.absolute,
          hint: 'Shift T',
          onSelect: toggleAbsolute,
        },
        {
          label: text.user.shortcuts,
          hint: '?',
          onSelect: () => {
            helpOpen.value = true;
          },
        },
        { label: text.user.signOut, onSelect: signOut },
      ]}
    />
  );
}

interface NavEntry {
  label: string;
  href: string;
  icon: () => ComponentChildren;
}

/** The rail's entries: only pages that exist. */
function navEntries(project: string): NavEntry[] {
  return [{ label: text.nav.overview, href: overviewPath(project), icon: OverviewIcon }];
}

function Rail({ project }: { project: string }) {
  const entries = navEntries(project);
  return (
    <nav class={entries.length > 1 ? 'rail' : 'rail single'} aria-label={text.nav.label}>
      {entries.map(({ label, href, icon: Icon }) => (
        <a
          key={href}
          class="rail-link"
          href={href}
          aria-current={path.value === href ? 'page' : undefined}
        >
          <Icon />
          <span class="rail-label">{label}</span>
        </a>
      ))}
    </nav>
  );
}

function OfflineBanner() {
  const current = status.value;
  if (current.kind !== 'offline') return null;
  const clock = formatClock(current.since + clockSkew.value, zone.value);
  return (
    <p class="banner" role="status">
      {text.live.offlineBanner(clock)}
    </p>
  );
}

export interface ShellProps {
  project: string | null;
  /** Whether the project in the address is one of the person's. */
  known: boolean;
  children: ComponentChildren;
}

/** Top bar, rail and the place of the page. */
export function Shell({ project, known, children }: ShellProps) {
  return (
    <div class="shell">
      <a class="skip" href="#main">
        {text.skip}
      </a>
      <header class="top">
        <a class="brand" href={project && known ? overviewPath(project) : '/'}>
          <BrandIcon />
          <span class="brand-name">{text.product}</span>
        </a>
        <ProjectSwitcher project={project} />
        <span class="top-space" />
        {known && <LivePill />}
        <ThemeToggle />
        <UserMenu project={project} />
      </header>
      {project && known && <Rail project={project} />}
      <main id="main" tabIndex={-1}>
        <OfflineBanner />
        {children}
      </main>
    </div>
  );
}
