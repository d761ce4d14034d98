/** What a rule asks that the other schema does not, by its keyword. */
const DEMANDS: Readonly<Record<string, string>> = {
  type: 'takes fewer types',
  enum: 'takes fewer of the listed values',
  const: 'takes one value alone',
  minimum: 'has a higher minimum',
  exclusiveMinimum: 'has a higher minimum',
  maximum: 'has a lower maximum',
  exclusiveMaximum: 'has a lower maximum',
  multipleOf: 'takes other multiples',
  minLength: 'asks for longer texts',
  maxLength: 'asks for shorter texts',
  pattern: 'has another pattern',
  format: 'has another format',
  required: 'requires a member that may be absent',
  minProperties: 'asks for more members',
  maxProperties: 'takes fewer members',
  dependentRequired: 'requires a member beside another one',
  dependencies: 'asks for something beside a member',
  propertyNames: 'takes fewer names of members',
  minItems: 'asks for more items',
  maxItems: 'takes fewer items',
  uniqueItems: 'refuses equal items',
  contains: 'asks for an item of a kind',
  anyOf: 'takes fewer alternatives',
  oneOf: 'takes fewer alternatives, or one that overlaps with another',
  not: 'refuses values that the other one takes',
  if: 'sets another condition',
  false: 'refuses a value that the other one takes',
  additionalProperties: 'refuses members that it does not declare',
  unevaluatedProperties: 'refuses members that it does not declare',
  unevaluatedItems: 'refuses items that it does not declare',
  too_many_steps: 'is too large to be compared',
};

/** What a rule changes, in a sentence. */
export function changeText(rule: string, side: 'new' | 'old'): string {
  return `The ${side} version ${DEMANDS[rule] ?? `has another \`${rule}\``}.`;
}
