with observed as (
  select
    {{ key | idents }},
    {{ attributes | idents }},
    {% if deleted %}coalesce({{ deleted | ident }}, false){% else %}false{% endif %} as __gone,
    {{ observed_at | ident }} as __from
  from {{ input | dataset }}
  where {{ observed_at | ident }} is not null
  qualify row_number() over (
    partition by {{ key | idents }}, {{ observed_at | ident }}
    order by {% if sequence %}{{ sequence | ident }} desc nulls last, {% endif %}__gone, hash(row({{ attributes | idents }}))
  ) = 1
),
changed as (
  select *
  from observed
  qualify row(__gone, case when __gone then null else row({{ attributes | idents }}) end)
    is distinct from lag(row(__gone, case when __gone then null else row({{ attributes | idents }}) end))
    over (partition by {{ key | idents }} order by __from)
),
spans as (
  select *, lead(__from) over (partition by {{ key | idents }} order by __from) as __to
  from changed
)
select
  {{ key | idents }},
  {{ attributes | idents }},
  __from as {{ valid_from | ident }},
  __to as {{ valid_to | ident }},
  __to is null as {{ is_current | ident }}
from spans
where not __gone
