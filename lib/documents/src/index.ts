export { canonicalJson, canonicalSha256 } from './canonical-json.ts';
export { didYouMean } from './did-you-mean.ts';
export { DocumentFault, type DocumentFaultCode } from './document-fault.ts';
export { mergePatch } from './merge-patch.ts';
export { PROBLEM_TYPE, problemText } from './problem-text.ts';
export { type SchemaError, type SchemaFault, schemaFaults, unknownMember } from './schema-faults.ts';
export { strictJson } from './strict-json.ts';
export { strictYaml } from './strict-yaml.ts';
