import { AppShell, Badge, Burger, Button, Group, Kbd, NativeSelect, Stack, Text } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { type ErrorComponentProps, Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { createSource } from '@weir/plugin-sources/contract';
import { BookOpen, CircleUser, Puzzle, Search } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { usePageKeys } from '../keys/keys.ts';
import { useOwnPages } from '../keys/own-pages.ts';
import { sawPage } from '../palette/recent.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Empty } from '../parts/region.tsx';
import { usePages } from '../plugin-pages/use-pages.ts';
import { ROLE_WORDS, roleIn, useMay, usePerson } from '../session/person.ts';
import { HandedFilesProvider } from '../sources/load/handed-files-provider.tsx';

const Palette = lazy(() => import('../palette/palette.tsx').then((module) => ({ default: module.Palette })));
const Settings = lazy(() => import('./settings.tsx').then((module) => ({ default: module.Settings })));

const NAV_PX = 208;
const HEADER_PX = 52;
const ICON_PX = 17;

/** What is around every page: navigation, tenant, person, palette and keys. */
export function Shell() {
  const [opened, { toggle, close }] = useDisclosure(false);
  const [settings, { open: openSettings, close: closeSettings }] = useDisclosure(false);
  const [asked, setAsked] = useState(0);
  const { tenant } = usePerson();
  const find = () => setAsked((times) => times + 1);
  const { pathname } = useLocation();
  useEffect(() => sawPage(tenant, pathname), [tenant, pathname]);
  usePageKeys({ openHelp: openSettings });
  useHotkeys([['mod+K', find]], []);
  return (
    <AppShell
      header={{ height: HEADER_PX }}
      navbar={{ width: NAV_PX, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding="md"
    >
      <a className="skip" href="#page">
        Skip to the page
      </a>
      <AppShell.Header>
        <Head isOpen={opened} toggle={toggle} find={find} openSettings={openSettings} />
      </AppShell.Header>
      <AppShell.Navbar p="sm" onClick={close}>
        <Navigation />
      </AppShell.Navbar>
      <AppShell.Main id="page" tabIndex={-1}>
        {/* What a page remembers belongs to one tenant, however fast the next page is asked for. */}
        <HandedFilesProvider key={tenant}>
          <Outlet />
        </HandedFilesProvider>
      </AppShell.Main>
      <Suspense fallback={null}>
        {asked === 0 ? null : <Palette asked={asked} />}
        {settings ? <Settings onClose={closeSettings} /> : null}
      </Suspense>
    </AppShell>
  );
}

interface HeadProps {
  isOpen: boolean;
  toggle(): void;
  find(): void;
  openSettings(): void;
}

function Head({ isOpen, toggle, find, openSettings }: HeadProps) {
  const { me } = usePerson();
  return (
    <Group h="100%" px="md" justify="space-between" wrap="nowrap">
      <Group gap="sm" wrap="nowrap">
        <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Navigation" />
        <Text fw={680} size="lg" component="span">
          Weir
        </Text>
      </Group>
      <Button
        variant="default"
        size="xs"
        leftSection={<Search size={14} aria-hidden />}
        rightSection={
          <Kbd size="xs" visibleFrom="sm">
            Ctrl K
          </Kbd>
        }
        onClick={find}
      >
        Find
      </Button>
      <Group gap="xs" wrap="nowrap">
        <TenantPicker />
        <Button
          variant="subtle"
          size="compact-sm"
          color="gray"
          c="var(--mantine-color-text)"
          aria-label={`${me.name ?? me.subject}: settings and sign-out`}
          onClick={openSettings}
        >
          <CircleUser size={18} aria-hidden />
        </Button>
      </Group>
    </Group>
  );
}

function Navigation() {
  const { pages } = usePages();
  const own = useOwnPages();
  return (
    <>
      <Stack gap={4} component="nav" aria-label="Pages">
        {own.map(({ to, label, icon: Icon }) => (
          <Link key={to} to={to} className="nav-link" activeOptions={{ exact: to === '/' }}>
            <Icon size={ICON_PX} aria-hidden />
            {label}
          </Link>
        ))}
        {pages.map(({ plugin, name, title }) => (
          <Link key={`${plugin}/${name}`} to="/pages/$plugin/$name" params={{ plugin, name }} className="nav-link">
            <Puzzle size={ICON_PX} aria-hidden />
            {title}
          </Link>
        ))}
        <a href="/docs" className="nav-link">
          <BookOpen size={ICON_PX} aria-hidden />
          API explorer
        </a>
      </Stack>
      <RoleNote />
    </>
  );
}

/** What the role may not do, said once; the pages do not offer it. */
function RoleNote() {
  const { me, tenant } = usePerson();
  const canChange = useMay(createSource);
  const role = roleIn(me, tenant);
  return (
    <Stack gap={4} mt="auto" p="xs">
      <Text size="sm" c="dimmed">
        {me.name ?? me.subject}, {role === undefined ? 'no role' : ROLE_WORDS[role]} in {tenant}
      </Text>
      {canChange ? null : (
        <Text size="sm" c="dimmed">
          You can look at everything here. To change or start something, ask an admin of {tenant} for the role pipeline
          editor.
        </Text>
      )}
    </Stack>
  );
}

function TenantPicker() {
  const { me, tenant, chooseTenant } = usePerson();
  const navigate = useNavigate();
  if (me.tenants.length < 2)
    return (
      <Badge size="lg" color="gray" visibleFrom="xs">
        {tenant}
      </Badge>
    );
  return (
    <NativeSelect
      aria-label="Tenant"
      size="xs"
      data={me.tenants.map(({ alias }) => alias)}
      value={tenant}
      onChange={({ currentTarget: { value } }) => {
        // What is shown belongs to the other tenant.
        void navigate({ to: '/' }).then(() => chooseTenant(value));
      }}
    />
  );
}

/** Of an address that names no page. */
export function NotFound() {
  return (
    <>
      <PageHead title="No such page" />
      <Empty
        words="The address names no page."
        action={
          <Button component="a" href="/">
            Go to the home page
          </Button>
        }
      />
    </>
  );
}

/** Of a page that broke. */
export function Broken({ error, reset }: ErrorComponentProps) {
  return <FaultNote error={error instanceof Error ? error : new Error(String(error))} retry={reset} />;
}
