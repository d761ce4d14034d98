select *
from {{ input | dataset }} as {{ "row" | fresh }}
qualify row_number() over (
  partition by {{ key | idents }}
  order by {% for o in order_by %}{{ o.column | ident }} {% if o.direction %}{{ o.direction | word: "asc", "desc" }}{% else %}desc{% endif %} nulls last, {% endfor %}hash({{ "row" | fresh }})
) = 1
