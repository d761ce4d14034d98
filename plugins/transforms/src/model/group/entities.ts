import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { type GroupStepView, NOT_ADOPTED, PUBLISH_MODES } from '../../contract/group/groups.ts';
import type { PartitionChoice } from '../../contract/group/partition-choice.ts';
import type { PinnedSnapshot } from '../entities.ts';

/** A row of `transforms.step_group`: how a whole publishes what its steps make. */
export const StepGroupEntity = defineEntity({
  name: 'TransformStepGroup',
  schema: 'transforms',
  tableName: 'step_group',
  properties: {
    tenantId: p.uuid().primary(),
    /** The id of the whole. */
    runId: p.uuid().primary(),
    publish: p.enum(PUBLISH_MODES),
    /** Rows of each step that are kept to be looked at. */
    sampleRows: p.integer().default(0),
    /** What no step makes, at the one moment at which all steps read it; empty where each reads what it finds. */
    inputs: p.json<PinnedSnapshot[]>().default([]),
    /** The whole whose staged steps may be taken over. */
    adoptFrom: p.uuid().nullable(),
  },
});
export type StepGroupRow = InferEntity<typeof StepGroupEntity>;

/** A row of `transforms.step`: the place of a run of a transform in its whole. */
export const StepEntity = defineEntity({
  name: 'TransformStep',
  schema: 'transforms',
  tableName: 'step',
  properties: {
    tenantId: p.uuid().primary(),
    /** The id of the part. */
    runId: p.uuid().primary(),
    groupRunId: p.uuid(),
    stepId: p.string(),
    /** From 0: in the order in which steps wait for each other. */
    position: p.integer(),
    /** The positions of the steps that end first. */
    after: p.array<number>(Number).default([]),
    /** Its result is written; null of a step that publishes at once. */
    stagedAt: p.datetime().nullable(),
    rowsIn: p.bigint('string').nullable(),
    columns: p.json<NonNullable<GroupStepView['columns']>>().nullable(),
    sample: p.json<NonNullable<GroupStepView['sample']>>().nullable(),
    adoptedFrom: p.uuid().nullable(),
    notAdopted: p.enum(NOT_ADOPTED).nullable(),
    /** The partitions that it replaces; null of one that brings its whole table to its inputs. */
    partitions: p.json<PartitionChoice>().nullable(),
  },
});
export type StepRow = InferEntity<typeof StepEntity>;

/** The rows of groups. */
export const groupEntities = [StepGroupEntity, StepEntity];
