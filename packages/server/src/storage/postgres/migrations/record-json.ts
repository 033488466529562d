/**
 * The function `record_json`, with which the SQL views parse the text of a record. `jsonb` rejects some valid JSON. Then
 * U+0000 and lone surrogates become U+FFFD, and numbers beyond the range of `numeric` become strings
 * (https://www.postgresql.org/docs/current/datatype-json.html). It returns null for what `jsonb` still rejects, such as
 * JSON that is nested too deeply.
 *
 * It uses only what `pg_catalog` contains, because it runs with the privileges and the search path of the reader.
 */
export const CREATE_RECORD_JSON = String.raw`
CREATE FUNCTION record_json(data text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT AS $$
DECLARE
  -- JSON contains no control characters, so they can stand for escaped backslashes and escaped quotes.
  backslash CONSTANT text := chr(1);
  quote CONSTANT text := chr(2);
  repaired text;
BEGIN
  RETURN data::jsonb;
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
  BEGIN
    repaired := replace(replace(data, '\\', backslash), '\"', quote);
    repaired := regexp_replace(repaired, '\\u(0000|[dD][89a-fA-F]..)', chr(65533), 'g');
    SELECT string_agg(CASE
        WHEN length(substring(part[2] FROM '^-?(\d+)')) + exponent > 131072
          OR length(coalesce(substring(part[2] FROM '\.(\d+)'), '')) - exponent > 16383
        THEN '"' || part[2] || '"'
        ELSE coalesce(part[1], part[2])
      END, '' ORDER BY position)
    INTO repaired
    FROM regexp_matches(repaired, '("[^"]*"|[^"0-9-]+)|(-?\d[\d.eE+-]*)', 'g')
      WITH ORDINALITY AS parts (part, position)
    CROSS JOIN LATERAL (
      SELECT coalesce(substring(part[2] FROM '[eE](.+)$')::numeric, 0) AS exponent
    ) number;
    RETURN replace(replace(repaired, quote, '\"'), backslash, '\\')::jsonb;
  EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
    RETURN NULL;
  END;
END $$`
