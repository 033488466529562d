/** Applies what operators commit to the reference model. */
import { hash } from 'node:crypto'
import type { OperatorUnit } from './commit-observer.ts'
import type { DatabaseView } from './database-view.ts'
import type { ReferenceModel } from './model.ts'
import type { ModelModule, ModelPlatform, RecordName } from './registry.ts'

/** A record that an operator erases. */
type Erasure = RecordName & { module: ModelModule }

export class OperatorCommits {
  /** The number of missing records of each module that an operator has approved. */
  readonly approvals = new Map<ModelModule, number>()
  /** The records that operators erase, by their ids. */
  readonly erasures = new Map<number, Erasure>()
  readonly #tombstones = new Map<number, RecordName>()
  /** The erasures that have committed their first step. */
  readonly #begun = new WeakSet<OperatorUnit>()
  readonly #model: ReferenceModel
  readonly #view: DatabaseView

  constructor(model: ReferenceModel, view: DatabaseView) {
    this.#model = model
    this.#view = view
  }

  /** Whether the hub may have begun to erase a record, and so its history and its activity. */
  mayBeErased(name: RecordName): boolean {
    return [...this.erasures.values()].some(
      ({ platform, record_type, reference }) =>
        platform === name.platform &&
        record_type === name.record_type &&
        reference === name.reference,
    )
  }

  onCommit(unit: OperatorUnit): void {
    const { registry } = this.#model
    switch (unit.name) {
      case 'registerPlatform':
        this.#registered(unit.platform.platform_name, unit.platform.hub_key.key_hash)
        break
      case 'changePlatform':
        registry.change(unit.platform_id, (platform) => {
          const { status, modules: registered } = unit
          if (status) platform.isActive = status.status === 'active'
          for (const module of registered ? platform.modules : []) {
            this.#setRegistered(module, registered?.record_types ?? [])
          }
        })
        break
      case 'removePlatform':
        registry.change(unit.platform_id, (platform) => {
          platform.isRemoved = true
        })
        break
      case 'rotateHubKey':
        registry.change(unit.platform_id, (platform) => {
          registry.rotateKey(platform, unit.key_hash, Date.parse(unit.old_expires_at))
        })
        break
      case 'saveManifest':
        registry.change(unit.platform_id, (platform) => saveKeys(platform, unit.manifest))
        break
      case 'eraseRecord':
        this.#erase(unit)
        break
      case 'deleteTombstone':
        this.#deleteTombstone(unit.tombstone_id)
        break
      case 'decideReview':
        this.#decideReview(unit.review_id, unit.state)
        break
    }
  }

  /** A platform of the first database. */
  register(name: string, hubKey: string): void {
    this.#registered(name, hash('sha256', hubKey, 'base64url'))
  }

  #registered(name: string, key_hash: string): void {
    const [row] = this.#view.query(
      'SELECT platform_id, source_base_url FROM platforms WHERE platform_name = ?',
      name,
    )
    const platform_id = Number(row?.['platform_id'])
    const host = new URL(String(row?.['source_base_url'])).hostname
    if (this.#model.registry.findPlatform(platform_id)) return
    const rows = this.#view.query(
      'SELECT module_id, record_type, fields FROM modules WHERE platform_id = ?',
      platform_id,
    )
    const modules = rows.map((module) => ({
      module_id: Number(module['module_id']),
      record_type: String(module['record_type']),
      keys: JSON.parse(String(module['fields'])).map(({ key }: { key: string }) => key),
    }))
    this.#model.registry.add({ platform_id, name, host, key_hash, modules })
  }

  /** A change makes the next read of a module unconditional, which counts as a push. */
  #setRegistered(module: ModelModule, recordTypes: string[]): void {
    const isRegistered = recordTypes.includes(module.record_type)
    if (isRegistered === module.isRegistered) return
    module.isRegistered = isRegistered
    module.pushes += 1
    this.approvals.delete(module)
  }

  /** An erasure has several commits: the first one saves the tombstone, a later one deletes the record. */
  #erase(unit: OperatorUnit & { name: 'eraseRecord' }): void {
    const { record_id: recordId } = unit
    const erasure = this.erasures.get(recordId)
    const [row] = this.#view.query(
      'SELECT tombstone_id FROM tombstones WHERE record_id = ?',
      recordId,
    )
    if (!erasure) return
    const { platform, record_type, reference, module } = erasure
    const name = { platform, record_type, reference }
    // Another operator may delete the tombstone before the record is deleted.
    const isFirst = !this.#begun.has(unit)
    this.#begun.add(unit)
    // The hub does not find a record of a removed platform.
    const isFound = row !== undefined || !module.platform.isRemoved
    if (isFirst && isFound && module.records.has(reference)) {
      this.#model.registry.setErased(name, true)
    }
    if (row) this.#tombstones.set(Number(row['tombstone_id']), name)
    const [stored] = this.#view.query('SELECT 1 FROM records WHERE record_id = ?', recordId)
    if (stored || !module.records.delete(reference)) return
    module.erasedAt = performance.now()
    module.pushes += 1
    this.#model.advance()
  }

  #deleteTombstone(tombstoneId: number): void {
    const name = this.#tombstones.get(tombstoneId)
    if (!name) return
    this.#tombstones.delete(tombstoneId)
    this.#model.registry.setErased(name, false)
    const platform = this.#model.registry.platformNamed(name.platform)
    const module = platform?.modules.find(({ record_type }) => record_type === name.record_type)
    if (module) module.pushes += 1
  }

  #decideReview(reviewId: number, state: string): void {
    const [review] = this.#view.query(
      'SELECT module_id, missing, closed_at FROM missing_reviews WHERE missing_review_id = ?',
      reviewId,
    )
    if (!review || review['closed_at'] !== null) return
    const module = this.#model.registry.moduleOf(Number(review['module_id']))
    if (state === 'approved') this.approvals.set(module, Number(review['missing']))
    else this.approvals.delete(module)
  }
}

function saveKeys(
  platform: ModelPlatform,
  manifest: { modules: { record_type: string; fields: { key: string }[] }[] },
): void {
  for (const { record_type, fields } of manifest.modules) {
    const module = platform.modules.find((one) => one.record_type === record_type)
    if (module) module.keys = fields.map(({ key }) => key)
  }
}
