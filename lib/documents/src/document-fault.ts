/** Why a text is no document: stable codes, which a caller answers with words of its own. */
export type DocumentFaultCode =
  | 'malformed_json'
  | 'malformed_yaml'
  | 'yaml_not_json'
  | 'unsafe_number'
  | 'payload_too_large';

/** A text that is refused. Neither its message nor a cause holds anything of the text. */
export class DocumentFault extends Error {
  readonly code: DocumentFaultCode;

  constructor(code: DocumentFaultCode) {
    super(code);
    this.name = 'DocumentFault';
    this.code = code;
  }
}
