with observed as (
  select
    {{ key | idents }},
    {{ attributes | idents }},
    {% if deleted %}coalesce({{ deleted | ident }}, false){% else %}false{% endif %} as {{ "gone" | fresh }},
    {{ observed_at | ident }} as {{ "from" | fresh }}
  from {{ input | dataset }}
  where {{ observed_at | ident }} is not null
  qualify row_number() over (
    partition by {{ key | idents }}, {{ observed_at | ident }}
    order by {% if sequence %}{{ sequence | ident }} desc nulls last, {% endif %}{% if deleted %}coalesce({{ deleted | ident }}, false), {% endif %}hash(row({{ attributes | idents }}))
  ) = 1
),
changed as (
  select *
  from observed
  qualify row({{ "gone" | fresh }}, case when {{ "gone" | fresh }} then null else row({{ attributes | idents }}) end)
    is distinct from lag(row({{ "gone" | fresh }}, case when {{ "gone" | fresh }} then null else row({{ attributes | idents }}) end))
    over (partition by {{ key | idents }} order by {{ "from" | fresh }})
),
spans as (
  select *, lead({{ "from" | fresh }}) over (partition by {{ key | idents }} order by {{ "from" | fresh }}) as {{ "to" | fresh }}
  from changed
)
select
  {{ key | idents }},
  {{ attributes | idents }},
  {{ "from" | fresh }} as {{ valid_from | ident }},
  {{ "to" | fresh }} as {{ valid_to | ident }},
  {{ "to" | fresh }} is null as {{ is_current | ident }}
from spans
where not {{ "gone" | fresh }}
