/** The ledger is not a beginning of this program's list, a list must not be applied, or settings cannot be followed. */
export class LedgerMismatch extends Error {
  constructor(fault: string) {
    super(fault);
    this.name = 'LedgerMismatch';
  }
}
