// Plain JavaScript: clients and workers load this file by its path with require, past every loader that strips types.
import { DefaultPayloadConverter, ValueError } from '@temporalio/common';

const MAX_DEPTH = 64;

/**
 * The payload converter of clients and workers: JSON as usual, but a value that holds a `Secret` at any depth is
 * refused, so that none can reach the engine's history. Recognised by name, because the workflow sandbox loads its own
 * copy of every class.
 */
class SecretRefusingConverter extends DefaultPayloadConverter {
  toPayload(value) {
    if (holdsSecret(value, 0)) throw new ValueError('a Secret must not be sent to the workflow engine');
    return super.toPayload(value);
  }
}

function holdsSecret(value, depth) {
  if (typeof value !== 'object' || value === null) return false;
  if (value.constructor?.name === 'Secret' || depth > MAX_DEPTH) return true;
  return Object.values(value).some((inner) => holdsSecret(inner, depth + 1));
}

/** Found by this name through `payloadConverterPath`. */
export const payloadConverter = new SecretRefusingConverter();
