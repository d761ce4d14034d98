export { compileSchema } from './compile-schema.ts';
export { DIALECTS, type Dialect, dialectOf, validatorOf } from './dialects.ts';
export { pointerBelow, pointerSegments } from './json-pointer.ts';
export { linearPattern, linearPatterns, type Matches } from './linear-pattern.ts';
export { isCredential, isSchema, type Schema, schemaNodes } from './schema-nodes.ts';
export { validationSchema } from './validation-schema.ts';
