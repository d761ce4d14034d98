import { contributionPoint } from '@weir/kernel/contract';

/** Kinds of run that the platform makes for itself: no limit counts them, no webhook reports them, lists show them when asked for. */
export const UpkeepRuns = contributionPoint<string>('run.upkeep');
