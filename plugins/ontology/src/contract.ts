export {
  type EntityLinkView,
  type EntityView,
  getEntity,
  listEntities,
  listEntityLinks,
} from './contract/entities.ts';
export {
  changeEntityType,
  createEntityType,
  type EntityTypeItemView,
  type EntityTypeView,
  getEntityType,
  getOntologyStatus,
  listEntityTypes,
  retireEntityType,
} from './contract/entity-types.ts';
export { ontologyProblems } from './contract/problems.ts';
export {
  createEntityTypeVersion,
  differEntityTypeVersions,
  type EntityTypeVersionView,
  listEntityTypeVersions,
  type TypeChangeView,
} from './contract/type-versions.ts';
