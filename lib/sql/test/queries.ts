/** Chance from a seed: the same queries in every run. */
export function createChance(seed: number) {
  let state = seed >>> 0;
  const below = (bound: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
  const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T;
  return { below, pick };
}

export type Chance = ReturnType<typeof createChance>;

/** A query text in brackets and the names of its columns, all of them whole numbers. */
interface Query {
  readonly sql: string;
  readonly columns: readonly string[];
}

export const TABLES = { t: ['id', 'a', 'b', 'c'], u: ['id', 'x', 'y'] } as const;

/** A random SELECT over `t` and `u` whose rows, as a bag, are the same in every run over the same data. */
export function randomQuery(chance: Chance): string {
  let names = 0;
  const fresh = (prefix: string) => `${prefix}${names++}`;
  return select({ chance, fresh, tables: [] }, 2).sql;
}

interface World {
  readonly chance: Chance;
  readonly fresh: (prefix: string) => string;
  /** Common table expressions in sight. */
  readonly tables: readonly { name: string; columns: readonly string[] }[];
}

function select(world: World, depth: number): Query {
  const { chance } = world;
  if (depth > 0 && chance.below(4) === 0) return withCte(world, depth);
  if (depth > 0 && chance.below(4) === 0) return setOperation(world, depth);
  return plainSelect(world, depth);
}

function withCte(world: World, depth: number): Query {
  const { chance, fresh } = world;
  const name = chance.below(4) === 0 ? 't' : fresh('w');
  if (chance.below(3) === 0) return recursion(world, name);
  const body = select(world, depth - 1);
  const columns = body.columns.map(() => fresh('k'));
  const rest = select(
    { ...world, tables: [...world.tables.filter((table) => table.name !== name), { name, columns }] },
    depth - 1,
  );
  return { sql: `with ${name}(${columns}) as (${body.sql}) select * from (${rest.sql})`, columns: rest.columns };
}

function recursion(world: World, name: string): Query {
  const [n, m] = [world.fresh('n'), world.fresh('m')];
  const all = world.chance.pick(['union all', 'union']);
  const step = `select ${n} + 1, (${m} + x) % 5 from r${name} join u on u.id = ${m} where ${n} < 3 and y is not null`;
  const body = `select a % 3, b from t where c > 0 ${all} ${step}`;
  return { sql: `with recursive r${name}(${n}, ${m}) as (${body}) select * from r${name}`, columns: [n, m] };
}

function setOperation(world: World, depth: number): Query {
  const { chance, fresh } = world;
  const [left, right] = [select(world, depth - 1), select(world, depth - 1)];
  const width = Math.min(left.columns.length, right.columns.length, 2);
  const part = ({ sql, columns }: Query) => `select ${columns.slice(0, width).join(', ')} from (${sql}) ${fresh('s')}`;
  const kind = chance.pick(['union all', 'union', 'except', 'intersect', 'except all', 'intersect all']);
  const columns = left.columns.slice(0, width);
  return { sql: `(${part(left)}) ${kind} (${part(right)})${chance.below(3) ? '' : ' order by all limit 3'}`, columns };
}

interface From {
  readonly sql: string;
  /** References to the columns, each with what it is called in `*`. */
  readonly refs: readonly string[];
}

function source(world: World, depth: number): From {
  const { chance, fresh, tables } = world;
  const alias = fresh('q');
  if (depth > 0 && chance.below(2) === 0) {
    const inner = select(world, depth - 1);
    const names = inner.columns.map(() => fresh('f'));
    return { sql: `(${inner.sql}) ${alias}(${names})`, refs: names.map((name) => `${alias}.${name}`) };
  }
  const shadowed = new Set(tables.map(({ name }) => name));
  const inputs = Object.entries(TABLES).flatMap(([name, columns]) => (shadowed.has(name) ? [] : [{ name, columns }]));
  const { name, columns } = chance.pick<{ name: string; columns: readonly string[] }>([
    ...inputs,
    ...tables,
    ...tables,
  ]);
  return { sql: `${name} ${alias}`, refs: columns.map((column) => `${alias}.${column}`) };
}

const columnOf = (ref: string): string => ref.split('.')[1] ?? '';

function from(world: World, depth: number): From {
  const { chance, fresh } = world;
  const left = source(world, depth);
  const kind = chance.below(9);
  if (kind < 3) return left;
  if (kind === 3) {
    const alias = fresh('l');
    const [one, other] = [chance.pick(left.refs), chance.pick(left.refs)];
    const lateral = `lateral (select ${one} + y as z from u where u.id = ${other}) ${alias}`;
    return { sql: `${left.sql}, ${lateral}`, refs: [...left.refs, `${alias}.z`] };
  }
  if (kind === 4) {
    const alias = fresh('l');
    const list = `unnest([${chance.pick(left.refs)}, 1]) ${alias}(e)`;
    return { sql: `${left.sql}, ${list}`, refs: [...left.refs, `${alias}.e`] };
  }
  const right = source(world, depth - 1);
  const shared = left.refs.map(columnOf).filter((name) => right.refs.some((ref) => columnOf(ref) === name));
  if (kind === 5 && shared.length > 0) {
    const using = chance.below(2) ? `natural full join ${right.sql}` : `left join ${right.sql} using (${shared[0]})`;
    const refs = [...left.refs, ...right.refs].filter((ref) => !shared.includes(columnOf(ref)));
    return { sql: `${left.sql} ${using}`, refs: [...refs, String(shared[0])] };
  }
  const on = `${chance.pick(left.refs)} = ${chance.pick(right.refs)}`;
  if (kind === 6)
    return { sql: `${left.sql} ${chance.pick(['semi', 'anti'])} join ${right.sql} on ${on}`, refs: left.refs };
  const join = chance.pick(['join', 'left join', 'right join', 'full join']);
  return { sql: `${left.sql} ${join} ${right.sql} on ${on}`, refs: [...left.refs, ...right.refs] };
}

function plainSelect(world: World, depth: number): Query {
  const { chance, fresh } = world;
  const given = from(world, depth);
  const where = chance.below(2) ? ` where ${condition(world, given.refs)}` : '';
  const shape = chance.below(8);
  if (shape === 0) return grouped(world, given, where);
  if (shape === 1) return starred(world, given, where);
  const items = Array.from({ length: 1 + chance.below(3) }, () => ({
    name: fresh('c'),
    sql: expression(world, given.refs),
  }));
  if (shape === 2) items.push({ name: fresh('c'), sql: `${items[0]?.name} + 1` });
  const list = items.map(({ name, sql }) => `${sql} as ${name}`).join(', ');
  const columns = items.map(({ name }) => name);
  const distinct = shape === 3 ? 'distinct ' : '';
  const qualify = shape === 4 ? ` qualify row_number() over (order by ${given.refs}) < 4` : '';
  const order = shape === 5 ? ` order by ${chance.pick(['all', `${columns[0]}, ${given.refs}`])} limit 2` : '';
  return { sql: `select ${distinct}${list} from ${given.sql}${where}${qualify}${order}`, columns };
}

function grouped({ chance, fresh }: World, { sql, refs }: From, where: string): Query {
  const [g, m] = [fresh('g'), fresh('m')];
  const key = `${chance.pick(refs)} % 3`;
  const value = chance.pick([
    `sum(${chance.pick(refs)})::bigint`,
    `count(*)`,
    `max(${chance.pick(refs)}) filter (${chance.pick(refs)} > 1)`,
    `count(distinct ${chance.pick(refs)})`,
    `arg_max(${chance.pick(refs)}, hash(${refs}))`,
  ]);
  const by = chance.pick([g, '1', 'all', key, `rollup (${key})`]);
  const having = chance.below(2) ? ` having count(${chance.pick(refs)}) > 1` : '';
  return {
    sql: `select ${key} as ${g}, ${value} as ${m} from ${sql}${where} group by ${by}${having}`,
    columns: [g, m],
  };
}

/** Stars over a relation whose column names are unique. */
function starred({ chance, fresh }: World, { sql, refs }: From, where: string): Query {
  const names = refs.map(() => fresh('v'));
  const inner = `(select ${refs.map((ref, at) => `${ref} as ${names[at]}`).join(', ')} from ${sql}${where}) z`;
  const [first = '', ...others] = names;
  const last = names.at(-1) ?? '';
  const forms = [
    { list: '*', columns: names },
    { list: `* replace (${first} + ${last} as ${first})`, columns: names },
    { list: `columns(*) + ${first}`, columns: names },
    { list: `max(columns(*)) over (order by ${names})`, columns: names },
    { list: `coalesce(*columns(*)) as ${first}`, columns: [first] },
    { list: `columns('^${first}$')`, columns: [first] },
    ...(others.length > 0 ? [{ list: `z.* exclude (${first})`, columns: others }] : []),
  ];
  const { list, columns } = chance.pick(forms);
  return { sql: `select ${list} from ${inner}`, columns };
}

function condition({ chance }: World, refs: readonly string[]): string {
  const [one, other] = [chance.pick(refs), chance.pick(refs)];
  return chance.pick([
    `${one} > 1`,
    `${one} is distinct from ${other}`,
    `${one} in (select x from u where y > 1)`,
    `exists (select 1 from u where u.id = ${one})`,
    `${one} between 1 and ${other} + 2`,
    `${one} > (select min(y) from u where x = ${other})`,
  ]);
}

function expression({ chance }: World, refs: readonly string[]): string {
  const [one, other] = [chance.pick(refs), chance.pick(refs)];
  const order = refs.join(', ');
  return chance.pick([
    one,
    one,
    `${one} + ${other}`,
    `coalesce(${one}, ${other})`,
    `case when ${one} > 1 then ${other} else 0 end`,
    `(select sum(y)::bigint from u where u.id = ${one})`,
    `(select count(*) from t where t.a > ${one} and t.b = 1)`,
    `sum(${one}) over (partition by ${other} order by ${order})::bigint`,
    `rank() over (order by ${one}, ${other})`,
    `lag(${one}) over (order by ${order})`,
    `{'f': ${one}, 'g': ${other}}.g`,
    `list_sum(list_transform([${one}, 2], lambda e: e + ${other}))::bigint`,
    `(${one} in (select x from u))::bigint`,
    `struct_pack(p := ${one})['p']`,
  ]);
}
