import { Button, Center, Loader, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { getMe, type MeView } from '@weir/plugin-identity/contract';
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { ask, type Connection } from '../api/ask.ts';
import { ConnectionContext } from '../api/connection.ts';
import { followEvents } from '../api/events.ts';
import { type Person, PersonContext } from './person.ts';
import { leaveToSignIn, RETURN_PATH, revoke, type SignInConfig, signInConfig, takeReturn } from './sign-in.ts';
import { TokenHolder } from './token-holder.ts';

const SignInAgain = lazy(() => import('./sign-in-again.tsx').then((module) => ({ default: module.SignInAgain })));

/** Shown after a sign-out; nothing is loaded there. */
const SIGNED_OUT_PATH = '/signed-out';
/** The tenant that was chosen last; a name, and no secret. */
const TENANT = 'weir.tenant';

type Stage =
  | { at: 'starting' | 'out' | 'returned' }
  | { at: 'failed'; why: string }
  | { at: 'in'; holder: TokenHolder; me: MeView };

/** Signs in, then shows the pages with a connection and a person above them. */
export function Session({ children, onReturn }: { children: ReactNode; onReturn(path: string): void }) {
  const [stage, setStage] = useState<Stage>({ at: 'starting' });
  const config = useMemo(signInConfig, []);
  const begun = useRef(false);
  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    start(config, onReturn)
      .then(setStage)
      .catch((error: unknown) =>
        setStage({ at: 'failed', why: error instanceof Error ? error.message : String(error) }),
      );
  }, [config, onReturn]);
  if (stage.at === 'in')
    return (
      <SignedIn config={config} holder={stage.holder} me={stage.me}>
        {children}
      </SignedIn>
    );
  if (stage.at === 'starting')
    return (
      <Center h="100vh">
        <Loader aria-label="Signing in" />
      </Center>
    );
  return <Door config={config} stage={stage} />;
}

async function start(config: SignInConfig, onReturn: (path: string) => void): Promise<Stage> {
  if (location.pathname === SIGNED_OUT_PATH) return { at: 'out' };
  if (location.pathname !== RETURN_PATH) {
    await leaveToSignIn(config, location.pathname + location.search + location.hash);
    return { at: 'starting' };
  }
  const returned = await takeReturn(config);
  if (returned === undefined) return { at: 'returned' };
  const holder = new TokenHolder(config, returned.tokens);
  const me = await ask({ url: location.origin, token: (renew) => holder.token(renew) }, getMe);
  onReturn(returned.returnTo);
  return { at: 'in', holder, me };
}

/** What stands before the pages: signed out, failed, or a window that has done its work. */
function Door({ config, stage }: { config: SignInConfig; stage: Exclude<Stage, { at: 'in' }> }) {
  const words =
    stage.at === 'out'
      ? ['You are signed out', 'This page keeps nothing of you.']
      : stage.at === 'returned'
        ? ['Signed in', 'You can close this window.']
        : ['The sign-in did not work', stage.at === 'failed' ? stage.why : ''];
  return (
    <Center h="100vh" component="main">
      <Stack align="flex-start" maw={420} p="md">
        <Title order={1}>{words[0]}</Title>
        <Text role={stage.at === 'failed' ? 'alert' : undefined}>{words[1]}</Text>
        {stage.at === 'returned' ? null : <Button onClick={() => leaveToSignIn(config, '/', 'login')}>Sign in</Button>}
      </Stack>
    </Center>
  );
}

function SignedIn({
  config,
  holder,
  me,
  children,
}: {
  config: SignInConfig;
  holder: TokenHolder;
  me: MeView;
  children: ReactNode;
}) {
  const queries = useQueryClient();
  const [tenant, setTenant] = useState(() => firstTenant(me));
  const [ended, setEnded] = useState(false);
  holder.onEnded = setEnded;
  const connection = useMemo<Connection>(
    () => ({ url: location.origin, tenant: tenant ?? '', token: (renew) => holder.token(renew) }),
    [holder, tenant],
  );
  const person = useMemo<Person>(
    () => ({
      me,
      tenant: tenant ?? '',
      chooseTenant(alias) {
        localStorage.setItem(TENANT, alias);
        // Nothing of the tenant that is left stays in the page.
        queries.clear();
        setTenant(alias);
      },
      async signOut() {
        queries.clear();
        await revoke(config, holder.tokens);
        location.assign(SIGNED_OUT_PATH);
      },
    }),
    [config, holder, me, queries, tenant],
  );
  useEffect(() => {
    if (tenant === undefined) return undefined;
    const ending = new AbortController();
    followEvents(connection, queries, ending.signal);
    return () => ending.abort();
  }, [connection, queries, tenant]);
  return (
    <ConnectionContext value={connection}>
      <PersonContext value={person}>
        {tenant === undefined ? <NoTenant person={person} /> : children}
        <Suspense fallback={null}>{ended ? <SignInAgain config={config} holder={holder} /> : null}</Suspense>
      </PersonContext>
    </ConnectionContext>
  );
}

function NoTenant({ person }: { person: Person }) {
  return (
    <Center h="100vh" component="main">
      <Stack align="flex-start" maw={420} p="md">
        <Title order={1}>You belong to no tenant</Title>
        <Text>
          Your account names no organization that exists here. An operator adds you to one at the identity provider.
        </Text>
        <Button onClick={() => person.signOut()}>Sign out</Button>
      </Stack>
    </Center>
  );
}

function firstTenant({ tenants }: MeView): string | undefined {
  const chosen = localStorage.getItem(TENANT);
  return (tenants.find(({ alias }) => alias === chosen) ?? tenants[0])?.alias;
}
