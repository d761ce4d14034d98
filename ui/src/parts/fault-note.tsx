import { Alert, Anchor, Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core';
import { CircleAlert, Lock } from 'lucide-react';
import { ProblemError } from '../api/problem-error.ts';
import { FaultList, type FaultPlaces } from '../faults/fault-list.tsx';
import { MarkedText } from '../faults/marked-text.tsx';
import { NextLinks } from '../faults/next-links.tsx';
import { problemFaults } from '../faults/problem-faults.ts';

const FORBIDDEN = 403;

interface FaultNoteProps extends FaultPlaces {
  error: Error;
  retry?: () => void;
}

/** What went wrong, every fault at its place, and what helps; a refusal says that it is one. */
export function FaultNote({ error, retry, ...places }: FaultNoteProps) {
  const problem = error instanceof ProblemError ? error.problem : undefined;
  const isDenied = problem?.status === FORBIDDEN;
  return (
    <Alert
      role="alert"
      color={isDenied ? 'gray' : 'red'}
      variant="outline"
      icon={isDenied ? <Lock aria-hidden /> : <CircleAlert aria-hidden />}
      title={isDenied ? 'You may not see this' : (problem?.title ?? error.message)}
      className="panel"
    >
      <Stack gap="xs" align="flex-start">
        {problem === undefined ? null : (
          <Text size="sm">
            <MarkedText text={problem.detail} />
          </Text>
        )}
        <FaultList faults={problemFaults(error)} {...places} />
        {problem === undefined ? null : <NextLinks next={problem.next} hint={problem.hint} />}
        {problem === undefined ? null : (
          <ProblemFacts code={problem.code} type={problem.type} trace={problem.trace_id} />
        )}
        {retry === undefined || isDenied ? null : (
          <Button size="xs" variant="default" onClick={retry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

function ProblemFacts({ code, type, trace }: { code: string; type: string; trace: string }) {
  return (
    <Group gap="xs">
      <Anchor size="sm" href={new URL(type, location.origin).pathname} target="_blank" rel="noreferrer">
        <Code>{code}</Code>
      </Anchor>
      <CopyButton value={trace}>
        {({ copied, copy }) => (
          <Button size="compact-xs" variant="default" onClick={copy}>
            {copied ? 'Copied' : 'Copy trace id'}
          </Button>
        )}
      </CopyButton>
    </Group>
  );
}
