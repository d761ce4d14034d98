import type { EntityData, EntitySchema, FilterQuery, RequiredEntityData } from '@mikro-orm/core';
import type { Tenant } from '../contract/caller.ts';

/** An entity made by MikroORM's `defineEntity`. */
export type Entity<T extends object> = EntitySchema<T>;

/** An entity whose row type has been forgotten, as lists of entities hold it. */
export type AnyEntity = object;

/** How a list is read: how many, in which order, and from where on. */
export interface PageRequest {
  limit?: number | undefined;
  page_token?: string | undefined;
  /** `field` or `-field` in wire names; the list's first order when absent. */
  order?: string | undefined;
}

/** What a list may be ordered by: wire name to entity property; `id` is the tie-breaker property. */
export interface PageOrders {
  orders: Readonly<Record<string, string>>;
  /** The default, such as `-created_at`. */
  first: string;
  id: string;
}

/** Reads and writes within one transaction of one tenant. Every row carries and every statement sees this tenant only. */
export interface TenantTransaction {
  readonly tenant: Tenant;
  findOne<T extends object>(
    entity: Entity<T>,
    where: FilterQuery<T>,
    options?: { lock?: boolean },
  ): Promise<T | undefined>;
  find<T extends object>(
    entity: Entity<T>,
    where: FilterQuery<T>,
    options?: { orderBy?: Record<string, 'asc' | 'desc'>; limit?: number },
  ): Promise<T[]>;
  /** Inserts a row; `tenantId` is set here and cannot be chosen. Unique violations throw `UniqueViolation`. */
  insert<T extends object>(entity: Entity<T>, row: Omit<RequiredEntityData<T>, 'tenantId'>): Promise<T>;
  /** Writes what changed on rows found or inserted in this transaction. */
  update<T extends object>(row: T, changes: EntityData<T>): Promise<T>;
  remove<T extends object>(entity: Entity<T>, where: FilterQuery<T>): Promise<number>;
  page<T extends object>(
    entity: Entity<T>,
    where: FilterQuery<T>,
    request: PageRequest,
    orders: PageOrders,
  ): Promise<{ items: T[]; next_page_token: string | null }>;
  /** One statement with bound parameters (`$1`), inside this transaction and its tenant. */
  sql(text: string, params: unknown[]): Promise<{ rows: Record<string, unknown>[]; rowCount: number }>;
  /** Runs after the transaction has committed; a failure there is logged and changes nothing. */
  afterCommit(work: () => Promise<void>): void;
}

/** The rows of one tenant. */
export interface TenantDb {
  /**
   * Commits when `work` returns. Once an operation of it has thrown nothing is committed, even if `work` caught the
   * error: the transaction then throws it too. Throws `UniqueViolation`, `conflict` (lost a race for a lock) and
   * `dependency_unavailable`.
   */
  transaction<R>(work: (tx: TenantTransaction) => Promise<R>): Promise<R>;
}
