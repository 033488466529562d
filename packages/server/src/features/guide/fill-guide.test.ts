import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Platform } from '@recordhub/protocol'
import { GUIDE_LANGUAGES, isGuideLanguage } from '@recordhub/protocol/constants'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import { checkManifest } from '../../domain/platform/manifest.ts'
import { checkPulled, checkPush } from '../../domain/record/record-input.ts'
import { ERROR_CODES, isErrorCode } from '../../errors.ts'
import { fillGuide, filterByLanguage, readGuide } from './fill-guide.ts'
import { exampleRecordType, makeExamples } from './make-examples.ts'

const SECTIONS = readGuide()
const HUB = {
  hubUrl: 'https://records.example.net/base',
  platformPath: 'sync',
  tunnelHeader: 'tunnel-skip-$&',
  version: '1.2.3',
}
const NOW = new Date('2026-11-21T07:30:00Z')
const BLOCK = /^```(?:nd)?json example=(\w+)\n([\s\S]*?)\n```$/gm

type Module = Platform['modules'][number]
type NewField = Pick<Module['fields'][number], 'key' | 'label' | 'type'>

function moduleOf(record_type: string, fields: NewField[], over: Partial<Module> = {}): Module {
  return {
    module_name: `Module ${record_type}`,
    record_type,
    description: '',
    fields: fields.map((field) => ({ ...field, required: false })),
    added_at: null,
    removed_at: null,
    removed_fields: [],
    drift_policy: 'accept',
    registered: true,
    complete_at: null,
    replayable: 0,
    ...over,
  }
}

function platformOf(modules: Module[], over: Partial<Platform> = {}): Platform {
  return {
    id: 1,
    platform_name: 'clinic',
    platform_title: 'Clinic *North*',
    display_title: 'Clinic *North*',
    platform_description: 'All of it',
    connection_type: 'dynamic_api',
    source_base_url: 'https://clinic.example.org',
    status: 'active',
    modules_registered: modules.length,
    health: { state: 'new', reasons: [] },
    records: 0,
    manifest_fetched_at: null,
    latest_sync_at: null,
    last_push_at: null,
    hub_api_key_hint: null,
    last_error: null,
    missing_reviews: 0,
    rejected_pushes: 0,
    modules,
    ...over,
  }
}

function fillFor(platform: Platform): string {
  return fillGuide(SECTIONS, HUB, {
    title: platform.platform_title,
    recordType: exampleRecordType(platform),
    examples: makeExamples(platform),
  })
}

describe('the guide in the repository', () => {
  const examples = new Map(
    SECTIONS.flatMap((section) => [...section.matchAll(BLOCK)]).map(([, name = '', json = '']) => [
      name,
      name === 'database' ? parseLines(json) : JSON.parse(json),
    ]),
  )

  test('its examples are accepted by the hub', () => {
    assert.equal(checkManifest(examples.get('manifest')).outcome, 'valid')
    assert.equal(checkPush('POST', examples.get('push'), NOW).outcome, 'valid')
    assert.equal(checkPush('PATCH', examples.get('patch'), NOW).outcome, 'valid')
    for (const record of examples.get('records').records) {
      assert.equal(checkPulled(record).outcome, 'valid')
    }
  })

  test('it contains every generated example, with the same members', () => {
    const generated = makeExamples(platformOf([moduleOf('visit', [])]))
    assert.deepEqual([...generated.keys()].toSorted(), [...examples.keys()].toSorted())
    for (const [name, example] of examples) {
      assert.deepEqual(membersOf(generated.get(name)), membersOf(example), name)
    }
  })

  test('its error codes are in the catalogue, with the same status', () => {
    const rows = SECTIONS.flatMap((section) => [
      ...section.matchAll(/^\| (?:(\d{3}) \| )?((?:`\w+`(?:, )?)+) \|/gm),
    ])
    const documented = rows.flatMap(([, status, codes = '']) =>
      [...codes.matchAll(/`(\w+)`/g)].map(([, code = '']) => ({ code, status })),
    )
    assert.ok(documented.length > 20, 'the tables were found')
    for (const { code, status } of documented) {
      assert.ok(isErrorCode(code), code)
      if (status) assert.equal(String(ERROR_CODES[code].status), status, code)
    }
  })
})

/** The members of an example, or of its first line if it has several. */
function membersOf(example: unknown): string[] {
  return Object.keys(Object(Array.isArray(example) ? example[0] : example))
}

function parseLines(text: string): unknown[] {
  return text.split('\n').map((line) => JSON.parse(line))
}

describe('filling the guide', () => {
  test('the examples have the title of the manifest, not the one that tells two platforms apart', () => {
    const titles = { platform_title: 'Museum', display_title: 'Museum (crm)' }
    assert.ok(!fillFor(platformOf([moduleOf('person', [])], titles)).includes('Museum (crm)'))
  })

  test('the settings of the hub replace the placeholders', () => {
    const text = fillGuide(SECTIONS, HUB, null)
    assert.match(text, /^# Integration guide\n/)
    assert.doesNotMatch(text, /<version>|hub\.example\.org|\/api\/hub|'\/?hub['/]|ngrok|example=/)
    for (const word of ['https://records.example.net/base/api/webhook/receive', '/api/sync/ping']) {
      assert.ok(text.includes(word), word)
    }
    assert.ok(text.includes('tunnel-skip-$&: true'))
    const kit = '/downloads/recordhub-platform-kit-1.2.3.tgz'
    assert.ok(text.includes(`npm install https://records.example.net/base${kit}`))
    assert.ok(text.includes("Route::prefix('/sync')"))
    assert.ok(text.includes("pathWord: 'sync'"))
  })

  test('a platform sees its own names and none of the generic guide', () => {
    const fields = [
      { key: 'ward', label: 'Ward', type: 'string' },
      { key: 'beds', label: 'Beds', type: 'number' },
      { key: 'doctor', label: 'Doctor', type: 'string' },
      { key: 'admitted_at', label: 'Admitted', type: 'string' },
    ]
    const text = fillFor(platformOf([moduleOf('ward visit', fields)]))
    assert.match(text, /^# Integration guide for Clinic \\\*North\\\*\n/)
    assert.ok(text.includes('/api/sync/records/ward%20visit'))
    assert.ok(text.includes('"ward": "Some ward"') && text.includes('"doctor": null'))
    assert.doesNotMatch(text, /"employee"|records\/employee|"hr"|job_title|example=/)
  })

  test('removed modules, and unregistered ones beside registered ones, are left out', () => {
    const modules = [
      moduleOf('removed', [], { removed_at: '2026-11-21T07:30:00.000Z' }),
      moduleOf('unwanted', [], { registered: false }),
      moduleOf('wanted', []),
    ]
    assert.doesNotMatch(fillFor(platformOf(modules)), /"removed"|"unwanted"/)
    assert.match(fillFor(platformOf(modules.slice(0, 2))), /"unwanted"/)
    assert.match(fillFor(platformOf([])), /"modules": \[\]/)
  })

  test('the hub accepts the examples for any platform, module and field names', () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
    const field = fc.record({
      key: name,
      label: name,
      type: fc.constantFrom('string', 'number', 'boolean', 'date'),
    })
    const fields = fc.uniqueArray(field, { maxLength: 8, selector: ({ key }) => key })
    fc.assert(
      fc.property(name, name, fields, (title, recordType, generated) => {
        fc.pre(![recordType, title].some((text) => text.includes('\0')))
        fc.pre(recordType !== '.' && recordType !== '..')
        const platform = platformOf([moduleOf(recordType, generated)], { platform_title: title })
        const text = fillFor(platform)
        const blocks = [...text.matchAll(/^```json\n([\s\S]*?)\n```$/gm)]
        for (const [, json = ''] of blocks) JSON.parse(json)
        const examples = makeExamples(platform)
        assert.equal(checkManifest(examples.get('manifest')).outcome, 'valid')
        assert.equal(checkPush('POST', examples.get('push'), NOW).outcome, 'valid')
        assert.equal(checkPush('PATCH', examples.get('patch'), NOW).outcome, 'valid')
      }),
    )
  })
})

const GUIDE = `## One

#### cURL

\`\`\`sh
# a comment
#### PHP
\`\`\`

#### PHP

Words.

\`\`\`php
### no heading
\`\`\`

### After

#### Something else
`

test('the examples of one language and all other text remain', () => {
  assert.equal(
    filterByLanguage(GUIDE, 'curl'),
    GUIDE.replace(/#### PHP\n\nWords[\s\S]*?(?=### After)/, ''),
  )
  assert.equal(
    filterByLanguage(GUIDE, 'php'),
    GUIDE.replace(/#### cURL[\s\S]*?(?=#### PHP\n\nWords)/, ''),
  )
})

test('every line of the guide remains for at least one language', () => {
  const guide = readGuide().join('\n')
  const languages = Object.keys(GUIDE_LANGUAGES).filter(isGuideLanguage)
  const filtered = languages.map(
    (language) => new Set(filterByLanguage(guide, language).split('\n')),
  )
  for (const line of guide.split('\n'))
    assert.ok(
      filtered.some((lines) => lines.has(line)),
      line,
    )
  for (const language of languages) {
    assert.equal(filterByLanguage(guide, language).match(/^#### .+$/gm)?.length, 2, language)
  }
})
