export { type ScheduleEndpoints, type ScheduleRoutes, scheduleEndpoints } from './contract/endpoints.ts';
export { previewSchedule, TimesPreview, type TimesPreviewView } from './contract/preview.ts';
export { scheduleProblems } from './contract/problems.ts';
export {
  FIRING_STATUSES,
  Firing,
  type FiringView,
  type KindWord,
  kindWord,
  OVERLAPS,
  type Overlap,
  ScheduleFacts,
  type ScheduleFactsView,
  type SubjectSchedule,
  subjectSchedule,
} from './contract/schedule.ts';
export { ScheduleDocument, scheduleSpec, wantedSchedule } from './contract/schedule-document.ts';
export {
  type AlsoAtStart,
  type ScheduledStart,
  type ScheduleRoute,
  type ScheduleSubject,
  ScheduleSubjects,
  type ScheduleSummary,
  type ScheduleTransaction,
  type ScheduleVerb,
  SubjectSchedules,
  type SubjectSchedulesService,
} from './contract/subjects.ts';
