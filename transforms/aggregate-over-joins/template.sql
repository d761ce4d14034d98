select
{% for g in group_by %}  {% if g.grain %}date_trunc({{ g.grain | literal }}, {% endif %}{% if g.of %}{{ g.of | ident }}{% else %}input{% endif %}.{{ g.column | ident }}{% if g.grain %}){% endif %} as {% if g.as %}{{ g.as | ident }}{% else %}{{ g.column | ident }}{% endif %},
{% endfor %}{% for m in measures %}  {% if m.column -%}
{% if m.function == "count_distinct" %}count(distinct {% else %}{{ m.function | word: "count", "sum", "avg", "min", "max", "median" }}({% endif -%}
{% if m.of %}{{ m.of | ident }}{% else %}input{% endif %}.{{ m.column | ident }}){% else %}count(*){% endif %} as {{ m.as | ident }}{% unless forloop.last %},{% endunless %}
{% endfor %}from {{ input | dataset }} as input
{% if joins %}{% for j in joins %}{% if j.kind == "inner" %}join{% else %}left join{% endif %} {{ j.dataset | dataset }} as {{ j.name | ident }}
  on {% for o in j.on %}{% if o.of %}{{ o.of | ident }}{% else %}input{% endif %}.{{ o.left | ident }} = {{ j.name | ident }}.{{ o.right | ident }}{% unless forloop.last %} and {% endunless %}{% endfor %}
{% endfor %}{% endif %}group by {% for g in group_by %}{{ forloop.index | literal }}{% unless forloop.last %}, {% endunless %}{% endfor %}
