import type { TestPlatform } from '../../platform.ts';
import { apiPage } from './api-page.ts';
import { cliPage } from './cli-page.ts';
import { collectReference } from './collect.ts';
import { configurationPage } from './configuration-page.ts';
import { connectorErrorsPage } from './connector-errors-page.ts';
import { connectorPatternsPage } from './connector-patterns-page.ts';
import { errorsPage } from './errors-page.ts';
import { metricsPage } from './metrics-page.ts';
import { statementReviewPage } from './statement-review-page.ts';
import { transformPatternsPage } from './transform-patterns-page.ts';

/** The pages of `docs/reference/` by file name, made from a booted platform. */
export async function referencePages(world: Pick<TestPlatform, 'api' | 'platform'>): Promise<Map<string, string>> {
  const reference = await collectReference(world);
  return new Map([
    ['api.md', apiPage(reference)],
    ['cli.md', cliPage(reference)],
    ['connector-errors.md', connectorErrorsPage()],
    ['connector-patterns.md', connectorPatternsPage()],
    ['configuration.md', configurationPage(reference)],
    ['errors.md', errorsPage(reference)],
    ['metrics.md', await metricsPage(world.platform)],
    ['statement-review.md', statementReviewPage()],
    ['transform-patterns.md', await transformPatternsPage()],
  ]);
}
