/** A bug as one of us might write it: what stands in a file, what stands there instead, and who should notice. */
export type Bug = {
  name: string;
  file: string;
  /** Exactly once in the file. */
  find: string;
  replace: string;
  project: 'unit' | 'parts' | 'client' | 'whole';
  tests: string[];
};

export const bugs: readonly Bug[] = [
  {
    name: 'a message is acknowledged before it is on the disk',
    file: 'ingest/log/log.ts',
    find: `    const startedAt = performance.now();
    segment.file.write(`,
    replace: `    const startedAt = performance.now();
    const early = group.waiters.splice(0);
    for (const waiter of early) waiter.afterCommit(true, startedAt);
    this.#answeredMessages += early.length;
    segment.file.write(`,
    project: 'unit',
    tests: ['ingest/log/log.test.ts', 'ingest/log/segments.test.ts'],
  },
  {
    name: 'writes to the log do not wait for the disk',
    file: 'ingest/log/disk.ts',
    find: '(dataSync ? O_DSYNC : 0)',
    replace: '(dataSync ? 0 : O_DSYNC)',
    project: 'whole',
    tests: ['test/durability/synchronous.test.ts'],
  },
  {
    name: 'a write that failed is answered 202',
    file: 'ingest/log/log.ts',
    find: 'this.#answer(group, error === null);',
    replace: 'this.#answer(group, true);',
    project: 'unit',
    tests: ['ingest/log/log.test.ts', 'ingest/log/segments.test.ts'],
  },
  {
    name: 'a message that the log refuses counts against the quota of its org',
    file: 'ingest/intake/intake.ts',
    find: '      read.meter?.takeBack(messages, read.records);\n',
    replace: '',
    project: 'unit',
    tests: ['ingest/intake/intake.test.ts'],
  },
  {
    name: 'a message that finds no room in the log costs its thing an allowance',
    file: 'ingest/intake/intake.ts',
    find: 'this.#admit(thing, body.length) ??\n        this.#takeRate(thing) ??',
    replace: 'this.#takeRate(thing) ??\n        this.#admit(thing, body.length) ??',
    project: 'unit',
    tests: ['ingest/intake/intake.test.ts'],
  },
  {
    name: 'a gateway speaks for things of other groups',
    file: 'ingest/intake/gateways/devices.ts',
    find: "return thing.group !== '' && thing.group === gateway.group ? thing : this.#absent(device);",
    replace: 'return thing;',
    project: 'unit',
    tests: ['ingest/intake/intake.test.ts'],
  },
  {
    name: 'a packet id counts though the message after it was torn off',
    file: 'ingest/doors/mqtt/kept/open.ts',
    find: 'if (this.#waiting?.frames === 0) {',
    replace: 'if (this.#waiting !== undefined) {',
    project: 'unit',
    tests: ['ingest/doors/mqtt/kept/kept-sessions.test.ts'],
  },
  {
    name: 'sessions of MQTT go on though the log after their snapshot is damaged',
    file: 'ingest/doors/mqtt/kept/open.ts',
    find: "return isWhole ? undefined : 'damagedLog';",
    replace: 'return undefined;',
    project: 'unit',
    tests: ['ingest/doors/mqtt/kept/kept-sessions.test.ts'],
  },
  {
    name: 'segments go before the snapshot of the sessions of MQTT has passed them',
    file: 'ingest/doors/mqtt/kept/open.ts',
    find: 'log.positions.release(reader, position.segment);',
    replace: 'log.positions.release(reader, Number.MAX_SAFE_INTEGER);',
    project: 'unit',
    tests: ['ingest/doors/mqtt/kept/kept-sessions.test.ts'],
  },
  {
    name: 'a packet id is released before that is on the disk',
    file: 'ingest/doors/mqtt/kept/received-ids.ts',
    find: "filter(([, { kind }]) => kind !== 'receiving')",
    replace: "filter(([, { kind }]) => kind === 'received')",
    project: 'unit',
    tests: ['ingest/doors/mqtt/kept/kept-sessions.test.ts'],
  },
  {
    name: 'a checksum is not looked at',
    file: 'ingest/log/format.ts',
    find: 'return crc === source.readUInt32LE(offset) ? frameEnd : -1;',
    replace: 'return crc >= 0 ? frameEnd : -1;',
    project: 'parts',
    tests: ['test/durability/torn.test.ts'],
  },
  {
    name: 'the cursor moves before its batch is delivered',
    file: 'ingest/sinks/driver.ts',
    find: `    this.#ledger.begin(batch);
    if (this.#ledger.isSavedFirst) await this.#save();`,
    replace: `    this.#ledger.pass(batch.to);
    await this.#save();
    this.#ledger.begin(batch);`,
    project: 'whole',
    tests: ['test/durability/under-way.test.ts'],
  },
  {
    name: 'where a batch ends that may be in the store is not written down',
    file: 'ingest/sinks/store/progress.ts',
    find: "    sendingTo: batch.kind === 'none' ? undefined : batch.to,",
    replace: '    sendingTo: undefined,',
    project: 'unit',
    tests: ['ingest/sinks/store/progress.test.ts'],
  },
  {
    name: 'the deduplication token leaves out the place in the segment',
    file: 'ingest/sinks/store/send.ts',
    find: '`${logId}:${place}:${content}:${attempt}`',
    replace: '`${logId}:${from.segment}`',
    project: 'whole',
    tests: ['test/durability/exactly-once.test.ts'],
  },
  {
    name: 'the quarantine takes the neighbours of a message with it',
    file: 'ingest/sinks/driver.ts',
    find: 'if (batch.frames > 1) {',
    replace: 'if (batch.frames > 1_000_000) {',
    project: 'whole',
    tests: ['test/durability/quarantine.test.ts'],
  },
  {
    name: 'a changed key is not forgotten',
    file: 'ingest/auth/journal/key-journal.ts',
    find: 'this.#changes.note(lookup, xid, startedAt.steadyMs)',
    replace: '!this.#changes.note(lookup, xid, startedAt.steadyMs)',
    project: 'whole',
    tests: ['test/access/key-changes.test.ts'],
  },
  {
    name: 'how far the log is does not change with the bundles for webhooks',
    file: 'ingest/sinks/webhooks/send.ts',
    find: '      if (!(await movePosition(rows, logId, known, batch.to))) return false;\n',
    replace: '',
    project: 'parts',
    tests: ['test/durability/webhook-sink.test.ts'],
  },
  {
    name: 'the messages of a bundle for webhooks are not kept',
    file: 'ingest/sinks/webhooks/send.ts',
    find: 'bundles.map(({ kept }) => kept),',
    replace: '[],',
    project: 'parts',
    tests: ['test/durability/webhook-sink.test.ts'],
  },
  {
    name: 'a job that Redis lost is taken for one under way',
    file: 'workers/webhooks/queue/lost-jobs.ts',
    find: "if (timestamp === null) return 'unknown';",
    replace: "if (timestamp === null) return 'underWay';",
    project: 'parts',
    tests: ['test/durability/webhook-outbox.test.ts'],
  },
  {
    name: 'deliveries over the share of their org are dropped',
    file: 'workers/webhooks/queue/new-bundles.ts',
    find: '        split.waiting.push(...groupsOf(bundle, part));\n',
    replace: '',
    project: 'unit',
    tests: ['workers/webhooks/queue/new-bundles.test.ts'],
  },
  {
    name: 'a deletion does not wait for what is on its way',
    file: 'infra/runtime/stores/log-barrier.ts',
    find: 'if (late.length === 0) return true;',
    replace: 'if (late.length >= 0) return true;',
    project: 'whole',
    tests: ['test/durability/deletion.test.ts'],
  },
  {
    name: 'an edge holds whatever a stream does not take',
    file: 'ingest/doors/stream/websocket.ts',
    find: 'maxBackpressure: limits.streamUnreadBytesMax,',
    replace: 'maxBackpressure: 1_000 * limits.streamUnreadBytesMax,',
    project: 'whole',
    tests: ['test/publishing/streams.test.ts'],
  },
  {
    name: 'who may see a group may change it',
    file: 'api/management/groups/operations.ts',
    find: "needs: { kind: 'member', role: 'admin', of: 'group' },",
    replace: "needs: { kind: 'member', role: 'viewer', of: 'group' },",
    project: 'whole',
    tests: ['test/access/matrix.test.ts'],
  },
  {
    name: 'the audit log tells of no change by a request',
    file: 'api/management/audit/author.ts',
    find: 'const kind = audit ?? auditAlso;',
    replace: 'const kind = auditAlso;',
    project: 'whole',
    tests: ['test/management/audit.test.ts'],
  },
  {
    name: 'a member of any group reads the messages of all',
    file: 'api/messages/reach/reach.ts',
    find: "return { kind: 'groups', groups: groups.map(({ id }) => id) };",
    replace: "return { kind: 'all' };",
    project: 'client',
    tests: ['test/reading/reach.test.ts'],
  },
  {
    name: 'a sensor may command devices',
    file: 'infra/migrations/postgres/0014_commands.sql',
    find: "OR (sender = 'device' AND receiver = 'device')",
    replace: "OR (sender IN ('device', 'sensor') AND receiver = 'device')",
    project: 'whole',
    tests: ['test/management/devices/commands.test.ts'],
  },
  {
    name: 'a thing acknowledges the commands of others',
    file: 'ingest/commands/sql.ts',
    find: 'WHERE commands.id = given.id AND commands.thing_id = given.thing_id AND acknowledged_at IS NULL',
    replace: 'WHERE commands.id = given.id AND acknowledged_at IS NULL',
    project: 'whole',
    tests: ['test/publishing/commands.test.ts'],
  },
  {
    name: 'a command that a lost connection had waits until its time with the edge is over',
    file: 'ingest/commands/commands.ts',
    find: '    if (!isGone) return;\n',
    replace: '    if (!isGone || listening.underWay.size > 0) return;\n',
    project: 'whole',
    tests: ['test/publishing/commands.test.ts'],
  },
];
