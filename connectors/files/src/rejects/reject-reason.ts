import type { FaultCode } from '../fault.ts';
import type { FileFormat } from '../source-file.ts';

/** Why a line of a file is no row, in the words of the platform's quarantine. */
export type RejectReason =
  | 'row_too_wide'
  | 'row_too_short'
  | 'quote_unclosed'
  | 'text_after_quote'
  | 'line_too_large'
  | 'invalid_utf8'
  | 'malformed_json'
  | 'truncated'
  | 'not_object'
  | 'too_deep'
  | 'lone_surrogate';

const REASON_FAULTS: Readonly<Record<RejectReason, FaultCode>> = {
  row_too_wide: 'csv_row_too_wide',
  row_too_short: 'csv_row_too_short',
  quote_unclosed: 'csv_quote_unclosed',
  text_after_quote: 'csv_quote_unclosed',
  line_too_large: 'csv_row_too_long',
  invalid_utf8: 'encoding_invalid',
  malformed_json: 'json_invalid',
  truncated: 'json_truncated',
  not_object: 'json_not_object',
  too_deep: 'json_too_deep',
  lone_surrogate: 'encoding_invalid',
};

/** The fault whose words and hint a reason has in a file of a format. */
export function faultOf(reason: RejectReason, format: FileFormat): FaultCode {
  return reason === 'line_too_large' && format !== 'csv' ? 'json_row_too_long' : REASON_FAULTS[reason];
}
