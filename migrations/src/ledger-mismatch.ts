/** The ledger in the database is not a beginning of this program's list, or a list is one that must not be applied. */
export class LedgerMismatch extends Error {
  constructor(fault: string) {
    super(fault);
    this.name = 'LedgerMismatch';
  }
}
