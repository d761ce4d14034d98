import type { Kernel, PageOrders, Tenant } from '@weir/kernel';
import { type Input, kernelProblems } from '@weir/kernel/contract';
import { v7 as uuidv7 } from 'uuid';
import { type listNotes, noteProblems } from './contract.ts';
import { NoteEntity, noteView } from './note.ts';
import { PUBLISH } from './run-kinds.ts';

const ORDERS: PageOrders = { orders: { created_at: 'createdAt' }, first: '-created_at', id: 'noteId' };

/** What can be done with notes; the routes are thin callers of it. */
export function noteService(kernel: Kernel) {
  return {
    async create(tenant: Tenant, text: string) {
      const row = { noteId: uuidv7(), text, createdAt: new Date(), publishedAt: null };
      return noteView(await kernel.db(tenant).transaction((tx) => tx.insert(NoteEntity, row)));
    },

    /** The notes of the tenant by keyset page. */
    async list(tenant: Tenant, query: Input<typeof listNotes>['query']) {
      const page = await kernel.db(tenant).transaction((tx) => tx.page(NoteEntity, {}, query, ORDERS));
      return { ...page, items: page.items.map(noteView), total: null };
    },

    /** Undefined for notes that are not there and for other tenants' alike. */
    async find(tenant: Tenant, noteId: string) {
      const row = await kernel.db(tenant).transaction((tx) => tx.findOne(NoteEntity, { noteId }));
      return row === undefined ? undefined : noteView(row);
    },

    /** Writes a pending run; its workflow starts after the commit. */
    async publish(tenant: Tenant, noteId: string, { requestedBy, queue }: { requestedBy: string; queue: boolean }) {
      const admitted = await kernel.runs.admit(PUBLISH.kind, { queue });
      return kernel.db(tenant).transaction(async (tx) => {
        const note = await tx.findOne(NoteEntity, { noteId }, { lock: true });
        if (note === undefined) throw kernelProblems.notFound();
        if (note.publishedAt) throw noteProblems.notePublished();
        return kernel.runs.start(tx, { kind: PUBLISH.kind, subjectId: noteId, requestedBy, admitted });
      });
    },
  };
}
