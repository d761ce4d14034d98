select {% if columns %}{{ key | idents }}, {{ columns | idents }}{% else %}*{% endif %}
from {{ input | dataset }} as {{ "row" | fresh }}
where {% for k in key %}{{ k | ident }} is not null{% unless forloop.last %} and {% endunless %}{% endfor %}
qualify row_number() over (
  partition by {{ key | idents }}
  order by {% for o in order_by %}{{ o.column | ident }} {% if o.direction %}{{ o.direction | word: "asc", "desc" }}{% else %}desc{% endif %} nulls last, {% endfor %}hash({{ "row" | fresh }})
) = 1
