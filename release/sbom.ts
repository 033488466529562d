/** The software bill of materials (SBOM) of a release, in the format CycloneDX. */
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runNpm } from './npm.ts'
import { ROOT } from './packages.ts'

type Component = { 'bom-ref': string; name: string; scope?: string; properties: object[] }
type Bom = {
  serialNumber?: string
  metadata: { timestamp: string; component: { name: string } }
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

/** The lists of licences that Vite writes beside each bundle. */
const LICENSE_LISTS = [
  'packages/server/dist/package/{dist,page/assets}/licenses.txt',
  'packages/{platform-runner,platform-checker}/dist/licenses.txt',
]

/** The heading of a package in such a list: `## fastify - 5.12.8 (MIT)`. */
const HEADING = /^## (\S+) - (\S+) \(/gm

/** What a release contains besides bundled packages: a dependency, our own packages. */
const OTHERS = /^(typebox|recordhub|recordhub-platform|@recordhub\/(?!programs$).+)$/

/**
 * @param options `withNode` adds Node.js, which the executable contains; `timestamp` makes equal sources result in equal
 * files.
 * @returns the components that the packages contain, with the hashes of the lock file.
 */
export function describeComponents(options: { withNode: boolean; timestamp: string }): string {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only']
  const bom: Bom = JSON.parse(runNpm(ROOT, args))
  const bundled = readBundledPackages()
  const isIncluded = ({ 'bom-ref': ref }: Component) => bundled.has(ref) || OTHERS.test(nameOf(ref))
  // The lock file calls packages that are bundled development dependencies.
  const components = bom.components
    .filter(isIncluded)
    .map((one) => ({ ...one, name: nameOf(one['bom-ref']), scope: 'required', properties: [] }))
  const refs = new Set(components.map((component) => component['bom-ref']))
  const missing = [...bundled].filter((ref) => !refs.has(ref))
  if (missing.length > 0) throw new Error(`The lock file does not have ${missing.join(', ')}`)
  const dependencies = bom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) }))
  const { serialNumber: _, ...rest } = bom
  const component = { ...bom.metadata.component, name: 'recordhub-release' }
  const metadata = { ...bom.metadata, timestamp: options.timestamp, component }
  const all = options.withNode ? [...components, describeNode()] : components
  return `${JSON.stringify({ ...rest, metadata, components: all, dependencies }, null, 2)}\n`
}

/** The running Node.js, which the executable contains. */
function describeNode() {
  const { version, execPath } = process
  const content = createHash('sha512').update(readFileSync(execPath)).digest('hex')
  return {
    'bom-ref': `node@${version.slice(1)}`,
    type: 'platform',
    name: 'node',
    version: version.slice(1),
    scope: 'required',
    purl: `pkg:github/nodejs/node@${version}`,
    hashes: [{ alg: 'SHA-512', content }],
    licenses: [{ license: { id: 'MIT' } }],
  }
}

/** The name in `name@version`. An alias has the name of its package. */
function nameOf(ref: string): string {
  return ref.slice(0, ref.lastIndexOf('@'))
}

/** The packages in the bundles: `fastify@5.12.8`. */
function readBundledPackages(): Set<string> {
  const lists = LICENSE_LISTS.flatMap((pattern) => globSync(pattern, { cwd: ROOT }))
  const headings = lists.flatMap((path) => [
    ...readFileSync(join(ROOT, path), 'utf8').matchAll(HEADING),
  ])
  return new Set(headings.map(([, name, version]) => `${name}@${version}`))
}
