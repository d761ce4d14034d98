with judged as (
  select *, [{% for r in rules %}
    case when {{ r.column | ident }} {% if r.rule == "not_null" %}is null
      {%- elsif r.rule == "not_empty" %}is null or trim({{ r.column | ident }}) = ''
      {%- elsif r.rule == "accepted_values" %}not in ({{ r.values | literals }})
      {%- elsif r.rule == "minimum" %}< {{ r.value | literal }}
      {%- elsif r.rule == "maximum" %}> {{ r.value | literal }}
      {%- else %}is not null and not regexp_full_match({{ r.column | ident }}, {{ r.value | literal }}){% endif %} then {{ r.column | literal }} || {% if r.rule == "not_null" %}' is null'
      {%- elsif r.rule == "not_empty" %}' is empty'
      {%- elsif r.rule == "accepted_values" %}' is not accepted'
      {%- elsif r.rule == "minimum" %}' is too small'
      {%- elsif r.rule == "maximum" %}' is too large'
      {%- else %}' does not match'{% endif %} end{% unless forloop.last %},{% endunless %}{% endfor %}
  ] as {{ "failed" | fresh }}
  from {{ input | dataset }}
)
{% if rows == "rejected" %}select * exclude ({{ "failed" | fresh }}), array_to_string(list_filter({{ "failed" | fresh }}, lambda {{ "rule" | fresh }}: {{ "rule" | fresh }} is not null), ', ') as failed_rules
from judged
where len(list_filter({{ "failed" | fresh }}, lambda {{ "rule" | fresh }}: {{ "rule" | fresh }} is not null)) > 0
{% else %}select * exclude ({{ "failed" | fresh }})
from judged
where len(list_filter({{ "failed" | fresh }}, lambda {{ "rule" | fresh }}: {{ "rule" | fresh }} is not null)) = 0
{% endif %}
