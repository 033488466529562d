/** The files in deploy/ agree with the code. `deploy/check` also builds and starts what they describe. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Files, findDisagreements, readFiles } from '../../../../deploy/checks/agreement.ts'

const FOLDER = fileURLToPath(new URL('../../../../deploy/', import.meta.url))
const { version }: { version: string } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
)
const files = readFiles(FOLDER)

test('settings, ports, paths, users, time limits and versions in deploy/ agree with the code', () => {
  assert.deepEqual(findDisagreements(files, version), [])
})

/** Each line is a mistake, and a part of the issue that it causes. */
const MISTAKES: [path: keyof Files, before: string | RegExp, after: string, issue: RegExp][] = [
  ['compose/settings.env', 'HUB_BROADCAST', 'HUB_BRODCAST', /HUB_BRODCAST is not a setting/],
  ['kubernetes/base/settings.env', 'PROXY=on', 'PROXY=maybe', /HUB_TRUST_PROXY: must be off/],
  ['compose/postgres.yaml', 'HUB_SECRET_FILE', 'HUB_SECRETS_FILE', /HUB_SECRETS_FILE is not/],
  ['compose/Caddyfile', '/readyz', '/health', /GET \/health is not an open route/],
  ['kubernetes/base/pod.yaml', '/healthz', '/readyz', /startupProbe is \/readyz/],
  ['Containerfile', 'PORT=8080', 'PORT=80', /Containerfile, PORT is 80, expected 8080/],
  ['compose/postgres.yaml', 'hub-3:8080', 'hub-3:80', /UPSTREAMS is .*hub-3:80, expected/],
  ['Containerfile', 'USER 65532:65532', 'USER 0:0', /must be a user other than root/],
  ['kubernetes/base/pod.yaml', 'fsGroup: 65532', 'fsGroup: 1000', /fsGroup is 1000/],
  ['compose/sqlite.yaml', 'data:/var', 'data:/srv', /volume is data:\/srv/],
  ['systemd/recordhub.service', 'TimeoutStopSec=30', 'TimeoutStopSec=3', /3 s to stop are less/],
  ['compose/sqlite.yaml', 'stop_grace_period', 'grace', /NaN s to stop are less/],
  ['Containerfile', 'STOPSIGNAL SIGTERM', 'STOPSIGNAL SIGKILL', /STOPSIGNAL is SIGKILL/],
  ['kubernetes/sqlite/stateful-set.yaml', 'replicas: 1', 'replicas: 2', /replicas is 2/],
  ['kubernetes/postgres/kustomization.yaml', /newTag: .*/, 'newTag: 0.0.1', /newTag is 0.0.1/],
]

for (const [path, before, after, issue] of MISTAKES) {
  test(`${path} with ${after} is an issue`, () => {
    const text = files[path].replace(before, after)
    assert.notEqual(text, files[path])
    assert.match(findDisagreements({ ...files, [path]: text }, version).join('\n'), issue)
  })
}
