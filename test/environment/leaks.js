const { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } = require('node:fs');
const httpCommon = require('_http_common');
const http = require('node:http');
const https = require('node:https');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { clearTimeout } = require('node:timers');
const { setTimeout: pause } = require('node:timers/promises');
const { promisify } = require('node:util');
const { TestEnvironment } = require('jest-environment-node');

require('./compiled');

/** How long what a test file has stopped may take to end on a busy machine, in milliseconds. */
const GRACE_MS = 30_000;
const STEP_MS = 10;

/** What nock replaces as soon as it is loaded, in a process that runs other files, too. */
const { request, get, ClientRequest } = http;
const { request: secureRequest, get: secureGet } = https;

function restoreRequests() {
	Object.assign(http, { request, get, ClientRequest });
	Object.assign(https, { request: secureRequest, get: secureGet });
}

const { HTTPParser, parsers } = httpCommon;
const parsersOfNock = new Set();

/** nock leaves its parsers open, and Node keeps an open parser with all the memory of the file that made it. */
httpCommon.HTTPParser = class extends HTTPParser {
	constructor() {
		super();
		parsersOfNock.add(this);
	}
};

/** What libraries, as soon as they are loaded, and jest itself listen for. */
const LISTENED_FOR = new Set(['exit', 'uncaughtException', 'unhandledRejection', 'rejectionHandled']);

/**
 * Come and go by themselves. Timers are counted where the file starts them in real time (those of a test are virtual, and end with it),
 * and processes by themselves: jest has timers and pipes of its own.
 */
const PASSING = new Set([
	'Timeout',
	'PipeWrap',
	'Immediate',
	'CloseReq',
	'TickObject',
	'FSReqCallback',
	'FSReqPromise',
]);

const N8N_FOLDER = 'n8n';
/** What n8n-core and tsx keep in the temporary folder. */
const TOOLS = new RegExp(`^(${N8N_FOLDER}|tsx-\\d+)$`);

/**
 * Gives each test file a temporary folder, and adds an error to the results of the file when it leaves behind a timer, a socket, a
 * server, a process, a listener on the process, or something in that folder.
 */
module.exports = class LeakCheckingEnvironment extends TestEnvironment {
	async setup() {
		await super.setup();
		this.systemFolder = process.env.TMPDIR;
		this.folder = realpathSync(mkdtempSync(join(tmpdir(), 'ai-gateway-test-')));
		process.env.TMPDIR = this.folder;
		this.global.process.env.TMPDIR = this.folder;
		this.global.process.env.N8N_USER_FOLDER = join(this.folder, N8N_FOLDER);
		mkdirSync(this.global.process.env.N8N_USER_FOLDER);
		this.timers = new Set();
		this.watchTimers();
		this.before = counted(this.inUse());
		/** What there was after each test. */
		this.after = [];
	}

	async teardown() {
		restoreRequests();
		this.forget();
		if (this.systemFolder === undefined) delete process.env.TMPDIR;
		else process.env.TMPDIR = this.systemFolder;
		rmSync(this.folder, { recursive: true, force: true });
		await super.teardown();
	}

	/** Gives back the memory of this file: timers that do not keep Node running, and parsers, keep it. */
	forget() {
		for (const timer of this.timers) clearTimeout(timer);
		for (const parser of parsersOfNock) parser.close();
		parsersOfNock.clear();
		for (const parser of parsers.list) parser._headers = [];
	}

	async handleTestEvent({ name, test }, state) {
		if (name === 'test_done') this.after.push({ name: nameOf(test), counts: counted(this.inUse()) });
		if (name !== 'run_finish') return;
		const end = Date.now() + GRACE_MS;
		let left = this.left();
		while (left.length > 0 && Date.now() < end) {
			await pause(STEP_MS, undefined, { ref: false });
			left = this.left();
		}
		if (left.length === 0) return;
		const error = new Error(`This file leaves behind: ${left.join(', ')}`);
		error.stack = error.message;
		// One that is thrown here would replace the results.
		state.unhandledErrors.push(error);
	}

	/** What there is now and was not before. */
	left() {
		const extra = [...counted(this.inUse())].flatMap(([kind, count]) => {
			const before = this.before.get(kind) ?? 0;
			if (count <= before) return [];
			const last = this.after.findLastIndex(({ counts }) => (counts.get(kind) ?? 0) <= before);
			const first = this.after[last + 1];
			return [`${count - before} × ${kind}${first ? `, since the test "${first.name}"` : ''}`];
		});
		const files = readdirSync(this.folder).filter((name) => !TOOLS.test(name));
		return [...extra, ...files.map((name) => `the temporary file ${name}`)];
	}

	/** The resources that keep Node running, and the listeners that the file has put on its process. */
	inUse() {
		const resources = process.getActiveResourcesInfo().filter((kind) => !PASSING.has(kind));
		const listening = this.global.process;
		const names = listening.eventNames().filter((name) => !LISTENED_FOR.has(name));
		const listeners = names.flatMap((name) => {
			const label = `listener on the process for ${String(name)}`;
			return Array.from({ length: listening.listenerCount(name) }, () => label);
		});
		const timers = [...this.timers].filter((timer) => timer.hasRef()).map(() => 'timer');
		return [...resources, ...listeners, ...timers];
	}

	/** Keeps account of the timers that the file starts. */
	watchTimers() {
		const { timers, global } = this;
		for (const name of ['setTimeout', 'setInterval']) {
			const start = global[name];
			const watched = (callback, ...more) => {
				const timer = start(
					(...args) => {
						if (name === 'setTimeout') timers.delete(timer);
						callback(...args);
					},
					...more,
				);
				timers.add(timer);
				return timer;
			};
			global[name] = Object.assign(watched, { [promisify.custom]: start[promisify.custom] });
		}
		for (const name of ['clearTimeout', 'clearInterval']) {
			const stop = global[name];
			global[name] = (timer) => {
				timers.delete(timer);
				stop(timer);
			};
		}
	}
};

/** The title of a test, with those of its groups. */
function nameOf(test) {
	const titles = [];
	for (let block = test; block.parent; block = block.parent) titles.unshift(block.name);
	return titles.join(' › ');
}

function counted(kinds) {
	const counts = new Map();
	for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
	return counts;
}
