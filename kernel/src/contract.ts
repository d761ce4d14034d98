export {
  type Access,
  anyone,
  knownPermission,
  permission,
  platformPermission,
  probe,
  type Role,
  servicePermission,
  TENANT_ROLES,
  type TenantRole,
  webhookPermission,
} from './contract/access.ts';
export {
  type AccessRule,
  AccessRules,
  type ArrivingCall,
  type AskedCall,
  type AuditedCall,
  type AuditTrail,
  AuditTrails,
  type CallLimit,
  CallLimits,
  type CallOutcome,
  type SignatureReader,
  SignatureReaders,
  type SignedCall,
  type TokenReader,
  TokenReaders,
} from './contract/call-points.ts';
export {
  type KnownPrincipal,
  type Principal,
  rolesIn,
  subjectOf,
  type Tenant,
  type WebhookPrincipal,
} from './contract/caller.ts';
export { type CallResult, type ClientOptions, call } from './contract/client.ts';
export { type ContributionPoint, contributionPoint } from './contract/contribution.ts';
export {
  type Endpoint,
  endpoint,
  fillPath,
  fullPath,
  type Input,
  type Method,
  mayLeaveBodyOut,
  type Output,
  pathNames,
} from './contract/endpoint.ts';
export { FAULT_SENTENCES, faultSentence, type ShownFault, shownFaults } from './contract/fault-sentences.ts';
export {
  NextStep,
  type NextStepEntry,
  NextSteps,
  type NextStepView,
  nextSteps,
  placesOf,
} from './contract/next-steps.ts';
export {
  type ActivityWatch,
  ActivityWatches,
  type AdmitRun,
  type CheckOutcome,
  type HealthCheck,
  HealthChecks,
  Readiness,
  type ReadinessCheck,
  ReadinessChecks,
  type ReadinessView,
  RunAdmission,
  type RunChanged,
  RunChanges,
  RunDrops,
  type RunsDropped,
} from './contract/points.ts';
export {
  counted,
  type FieldFault,
  filledText,
  Problem,
  type ProblemDetails,
  type ProblemEntry,
  type ProblemType,
  problem,
} from './contract/problem.ts';
export { kernelProblems } from './contract/problems.ts';
export { runProblems } from './contract/run-problems.ts';
export { type ServiceToken, service } from './contract/service.ts';
export * from './contract/shapes.ts';
