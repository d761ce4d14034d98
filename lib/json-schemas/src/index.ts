export { compileSchema } from './compile-schema.ts';
export { linearPattern, type Matches } from './linear-pattern.ts';
export { isCredential, isSchema, pointerBelow, pointerSegments, type Schema, schemaNodes } from './schema-nodes.ts';
export { validationSchema } from './validation-schema.ts';
