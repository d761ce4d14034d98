import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { type SignInConfig, signInBeside } from './sign-in.ts';
import type { TokenHolder } from './token-holder.ts';

/** Over a page whose sign-in has ended: its calls wait. */
export function SignInAgain({ config, holder }: { config: SignInConfig; holder: TokenHolder }) {
  const [fault, setFault] = useState<string>();
  const again = () =>
    signInBeside(config, new AbortController().signal)
      .then((tokens) => holder.take(tokens))
      .catch((error: Error) => setFault(error.message));
  return (
    <Dialog title="Your sign-in has ended">
      <Stack>
        <Text>Sign in again in a new window. What you typed here stays.</Text>
        {fault === undefined ? null : (
          <Text role="alert" c="var(--mantine-color-error)">
            {fault}
          </Text>
        )}
        <Group>
          <Button onClick={again} data-autofocus>
            Sign in again
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
