/** What people read for the code of a fault. */
const WORDS: Readonly<Record<string, string>> = {
  required: 'This is required.',
  min_length: 'This is too short.',
  max_length: 'This is too long.',
  pattern: 'This does not have the expected form.',
  format: 'This does not have the expected form.',
  type: 'This has the wrong type.',
  enum: 'Choose one of the values.',
  minimum: 'This is too small.',
  maximum: 'This is too large.',
  additional_properties: 'The pattern does not know this.',
  one_of: 'Give exactly one of the alternatives.',
};

export const faultWords = (code: string): string => WORDS[code] ?? `Refused: ${code.replaceAll('_', ' ')}.`;
