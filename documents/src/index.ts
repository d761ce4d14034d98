export { DocumentFault, type DocumentFaultCode } from './document-fault.ts';
export { strictJson } from './strict-json.ts';
export { strictYaml } from './strict-yaml.ts';
