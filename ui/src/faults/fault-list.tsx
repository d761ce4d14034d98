import { Anchor, List, Text } from '@mantine/core';
import { MarkedText } from './marked-text.tsx';
import { faultSentence, type ProblemFault, placeWords, wordAt } from './problem-faults.ts';

/** More than these are counted, not shown. */
const MAX_SHOWN = 20;

export interface FaultPlaces {
  /** The place of a pointer in the words of the form; its own parts as words unless given. */
  placeOf?: ((pointer: string) => string | undefined) | undefined;
  /** Puts the cursor at a place of the text that was sent. */
  go?: ((line: number, column: number) => void) | undefined;
  /** The text that was sent: the name at the place of a fault is read from it. */
  text?: string | undefined;
}

/** Everything that is wrong, each with its place and its sentence. */
export function FaultList({ faults, ...places }: { faults: readonly ProblemFault[] } & FaultPlaces) {
  if (faults.length === 0) return null;
  return (
    <List size="sm" aria-label="Faults">
      {faults.slice(0, MAX_SHOWN).map((fault, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two faults may say the same of one place
        <List.Item key={at}>
          <OneFault fault={fault} {...places} />
        </List.Item>
      ))}
      {faults.length > MAX_SHOWN ? <List.Item>and {faults.length - MAX_SHOWN} more</List.Item> : null}
    </List>
  );
}

function OneFault({ fault, placeOf = placeWords, go, text }: { fault: ProblemFault } & FaultPlaces) {
  const { pointer, line, column } = fault;
  if (line === undefined || column === undefined) {
    const place = placeOf(pointer) ?? placeWords(pointer);
    return (
      <Text size="sm" span>
        {place === undefined ? null : <strong>{place}</strong>}
        {place === undefined ? '' : isPredicate(fault) ? ' ' : ': '}
        <MarkedText text={place === undefined ? capital(faultSentence(fault)) : faultSentence(fault)} />
      </Text>
    );
  }
  const word = text === undefined ? undefined : wordAt(text, line, column);
  const words = `Line ${line}, column ${column}`;
  return (
    <Text size="sm" span>
      {go === undefined ? (
        <strong>{words}</strong>
      ) : (
        <Anchor component="button" type="button" size="sm" onClick={() => go(line, column)}>
          {words}
        </Anchor>
      )}
      : <MarkedText text={capital(faultSentence(fault, word))} />
    </Text>
  );
}

/** Whether the sentence goes on from its place: `must be …`, `is required`. */
const isPredicate = ({ message }: ProblemFault) => message !== undefined && /^[a-z]/.test(message);
const capital = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
