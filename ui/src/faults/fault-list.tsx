import { Anchor, List } from '@mantine/core';
import { faultSentence, type ShownFault } from '@weir/kernel/contract';
import { MarkedText } from './marked-text.tsx';
import { aloneSentence, isPredicate, placeWords } from './problem-faults.ts';

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
export function FaultList({ faults, ...places }: { faults: readonly ShownFault[] } & FaultPlaces) {
  if (faults.length === 0) return null;
  return (
    <List size="sm" aria-label="Faults">
      {faults.slice(0, MAX_SHOWN).map((fault, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two faults may say the same of one place
        <List.Item key={at}>
          <FaultLine fault={fault} {...places} />
        </List.Item>
      ))}
      {faults.length > MAX_SHOWN ? <List.Item>and {faults.length - MAX_SHOWN} more</List.Item> : null}
    </List>
  );
}

/** One thing that is wrong, at its place. */
export function FaultLine({ fault, placeOf = placeWords, go, text }: { fault: ShownFault } & FaultPlaces) {
  const { pointer, line, column } = fault;
  const isPlaced = line !== undefined && column !== undefined;
  const place = isPlaced ? `Line ${line}, column ${column}` : (placeOf(pointer) ?? placeWords(pointer));
  if (place === undefined) return <MarkedText text={aloneSentence(fault)} />;
  return (
    <>
      {go !== undefined && isPlaced ? (
        <Anchor component="button" type="button" size="sm" onClick={() => go(line, column)}>
          {place}
        </Anchor>
      ) : (
        <strong>{place}</strong>
      )}
      {isPredicate(fault) ? ' ' : ': '}
      <MarkedText text={faultSentence(fault, text)} />
    </>
  );
}
