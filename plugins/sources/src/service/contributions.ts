import { contribute, type Kernel, Platform } from '@weir/kernel';
import { AccessRules, HealthChecks, ReadinessChecks, RunChanges } from '@weir/kernel/contract';
import { ApplyKinds } from '@weir/plugin-apply/contract';
import { TableDeclarations } from '@weir/plugin-datasets/contract';
import { LineageGivers } from '@weir/plugin-lineage/contract';
import { RunSubjectNames } from '@weir/plugin-runs/contract';
import { ScheduleSubjects, SubjectSchedules } from '@weir/plugin-schedules/contract';
import { settingsOf } from '../settings.ts';
import { credentialModeRule } from './credential/mode-rule.ts';
import { settleDiscovery } from './discovery/settle-discovery.ts';
import type { LoadedPatterns } from './pattern/load-patterns.ts';
import { patternFilesCheck } from './pattern/store-files.ts';
import { contributedChecks } from './readiness/contributed-checks.ts';
import type { FactDeps } from './readiness/source-facts.ts';
import { keepReceipts } from './receipt/keep-receipts.ts';
import { releaseVersions } from './receipt/release-versions.ts';
import { sourceDocuments } from './source/document-kind.ts';
import { lineageOfSources } from './source/lineage-giver.ts';
import { sourceSubjects } from './source/run-subjects.ts';
import { scheduledSources } from './source/schedule-subject.ts';
import { declaredTables } from './stream/declared-tables.ts';

/** What this plugin adds to points of the kernel and of other plugins. */
export function contributions(facts: FactDeps & { kernel: Kernel }, loaded: LoadedPatterns) {
  const { kernel, patterns } = facts;
  return [
    ...contributedChecks(facts).map((check) => contribute(ReadinessChecks, check)),
    contribute(AccessRules, credentialModeRule(kernel.vault)),
    contribute(HealthChecks, patternFilesCheck(settingsOf(kernel), loaded)),
    contribute(ApplyKinds, sourceDocuments({ kernel, patterns, schedules: kernel.use(SubjectSchedules) })),
    contribute(RunSubjectNames, sourceSubjects(kernel)),
    contribute(TableDeclarations, declaredTables(kernel)),
    contribute(LineageGivers, lineageOfSources(kernel)),
    contribute(ScheduleSubjects, scheduledSources(facts)),
    contribute(RunChanges, settleDiscovery),
    contribute(RunChanges, keepReceipts({ kernel, patterns, versions: releaseVersions(kernel.use(Platform)) })),
  ];
}
