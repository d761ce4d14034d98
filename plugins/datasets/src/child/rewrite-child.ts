// The program of a rewrite: it answers one question, and its memory is its own.
import { createRewriter, LakehouseError, openStore } from '@weir/lakehouse';
import { answerParent } from '@weir/processes';
import type { RewriteQuestion } from '../model/rewrite-question.ts';

answerParent<RewriteQuestion>(
  async ({ store, scratch, memoryLimit, request }) => {
    const rewriter = await createRewriter({ io: openStore(store), scratch, memoryLimit, threads: 1 });
    return rewriter.rewrite(request);
  },
  // Messages of DuckDB quote values: none of them leaves this process.
  (error) => (error instanceof LakehouseError ? error.code : 'stage_failed'),
);
