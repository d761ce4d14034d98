select
{% if others == "keep" %}  * exclude ({{ columns | idents: "column" }}),
{% endif %}{% for c in columns %}  {% if c.type %}{% if c.on_error == "null" %}try_cast({% else %}cast({% endif %}{% endif -%}
{% if c.empty_to_null %}nullif({% endif %}{% if c.case %}{{ c.case | word: "lower", "upper" }}({% endif %}{% if c.trim %}trim({% endif -%}
{{ c.column | ident }}
{%- if c.trim %}){% endif %}{% if c.case %}){% endif %}{% if c.empty_to_null %}, ''){% endif %}{% if c.type %} as {{ c.type | type }}){% endif %} as {% if c.as %}{{ c.as | ident }}{% else %}{{ c.column | ident }}{% endif %}{% unless forloop.last %},{% endunless %}
{% endfor %}from {{ input | dataset }}
