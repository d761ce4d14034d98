export { type Alternative, type ColumnMatch, type MatchColumn, type MatchReasons, matchColumns } from './match.ts';
