/* The page of `heed serve`: translates while one types, shows where each word looked, and lets one
 * choose another continuation. It asks this server alone. */
'use strict';
(() => {
    const $ = (id) => document.getElementById(id);
    const WAIT = 250; /* milliseconds without a key before a translation is asked for */
    const N_ALTERNATIVES = 4, N_CHOICES = 12, CHOICES_BEAM = 16;

    /* lines[i]: {source, hypotheses, prefix}; prefix is what the user has fixed of the translation. */
    let lines = [];
    let current = 0;
    let timer = 0;
    let pending = null; /* AbortController of the request on its way */

    const encoder = new TextEncoder(), decoder = new TextDecoder();

    /* Cuts text at the spans of its tokens, which count bytes of UTF-8: [{gap, word, index}]. */
    function cut(text, spans) {
        const bytes = encoder.encode(text);
        const slice = (a, b) => decoder.decode(bytes.subarray(a, b));
        const parts = [];
        let at = 0;
        spans.forEach(([begin, end], index) => {
            if (end > begin && begin >= at) {
                parts.push({gap: slice(at, begin), word: slice(begin, end), index, begin, end});
                at = end;
            }
        });
        return {parts, rest: slice(at, bytes.length), upTo: (b) => slice(0, b)};
    }

    function say(message, isBad) {
        $('status').textContent = message;
        $('status').classList.toggle('bad', Boolean(isBad));
    }

    async function ask(body, signal) {
        const answer = await fetch('/translate', {
            method: 'POST',
            headers: {'Content-Type': 'application/json'},
            body: JSON.stringify(body),
            signal,
        });
        const json = await answer.json();
        if (!answer.ok) {
            throw new Error(json.error);
        }
        return json.translations;
    }

    function settings() {
        const body = {attention: true};
        if ($('model').value) {
            body.model = $('model').value;
        }
        return body;
    }

    /* ---------------------------------------------------------------- drawing */

    function element(name, className, text) {
        const made = document.createElement(name);
        if (className) {
            made.className = className;
        }
        if (text !== undefined) {
            made.textContent = text;
        }
        return made;
    }

    const best = (line) => line.hypotheses[0];

    /* The source words that target token t looked at most, for those who cannot see the shades. */
    function looked(hypothesis, t) {
        const row = hypothesis.attention[t];
        return row.map((weight, s) => [weight, s])
            .filter(([weight]) => weight >= 0.15)
            .sort((a, b) => b[0] - a[0]).slice(0, 3)
            .map(([weight, s]) => `${hypothesis.source_tokens[s] === '</s>' && s === row.length - 1
                ? 'the end' : hypothesis.source_tokens[s]} ${Math.round(weight * 100)} %`)
            .join(', ');
    }

    /* The target words that looked most at source token s. */
    function lookedAtBy(hypothesis, s) {
        return hypothesis.attention.map((row, t) => [row[s], t])
            .filter(([weight, t]) => weight >= 0.15 && hypothesis.target_spans[t][1] > hypothesis.target_spans[t][0])
            .sort((a, b) => b[0] - a[0]).slice(0, 3)
            .map(([weight, t]) => `${hypothesis.target_tokens[t]} ${Math.round(weight * 100)} %`)
            .join(', ');
    }

    function drawLine(side, line, lineIndex) {
        const p = element('p');
        p.dir = 'auto';
        const hypothesis = best(line);
        const isTarget = side === 'target';
        const text = isTarget ? hypothesis.target : hypothesis.source;
        const {parts, rest} = cut(text, isTarget ? hypothesis.target_spans : hypothesis.source_spans);
        const forced = line.prefix ? encoder.encode(line.prefix).length : 0;
        for (const part of parts) {
            p.append(part.gap);
            const word = element('button', 'word', part.word);
            word.type = 'button';
            word.tabIndex = -1;
            word.dataset.line = lineIndex;
            word.dataset.token = part.index;
            word.dataset.side = side;
            word.setAttribute('aria-label', isTarget
                ? `${part.word}; looked at ${looked(hypothesis, part.index) || 'nothing much'}`
                : `${part.word}; looked at by ${lookedAtBy(hypothesis, part.index) || 'no word much'}`);
            word.classList.toggle('forced', isTarget && part.end <= forced);
            p.append(word);
        }
        p.append(rest);
        if (!isTarget && parts.length > 0) {
            const end = element('span', 'end', '\u25a0');
            end.title = 'the end of the line';
            end.setAttribute('aria-hidden', 'true');
            end.dataset.line = lineIndex;
            end.dataset.token = hypothesis.source_tokens.length - 1;
            end.dataset.side = side;
            p.append(end);
        }
        return p;
    }

    function draw() {
        for (const side of ['source', 'target']) {
            $(side).replaceChildren(...lines.map((line, i) => drawLine(side, line, i)));
            const first = $(side).querySelector('button.word');
            if (first) {
                first.tabIndex = 0;
            }
        }
        $('copy').disabled = !lines.some((line) => best(line).target);
        drawCurrent();
    }

    /* What belongs to the line under work: alternatives and table. */
    function drawCurrent() {
        const line = lines[current];
        const others = line ? line.hypotheses.slice(1).filter((h) => h.target !== best(line).target) : [];
        $('alternatives').hidden = others.length === 0;
        $('alternatives-title').textContent = lines.length > 1 ? `Alternatives to line ${current + 1}` : 'Alternatives';
        $('alternatives-list').replaceChildren(...others.map((h) => {
            const item = element('li');
            const button = element('button', '', h.target);
            button.type = 'button';
            button.dir = 'auto';
            button.append(' ', element('small', '', h.normalized_score.toFixed(2)));
            button.addEventListener('click', () => {
                line.hypotheses = [h, ...line.hypotheses.filter((o) => o !== h)];
                draw();
            });
            item.append(button);
            return item;
        }));
        drawTable(line ? best(line) : null);
    }

    function drawTable(hypothesis) {
        $('matrix').hidden = !hypothesis || hypothesis.attention.length === 0;
        if ($('matrix').hidden) {
            $('table').replaceChildren();
            return;
        }
        const table = element('table');
        table.append(element('caption', 'hidden', 'Rows are words of the translation, columns words of the text'));
        const head = table.createTHead().insertRow();
        head.append(element('td'));
        for (const token of hypothesis.source_tokens) {
            const cell = element('th', '', token);
            cell.scope = 'col';
            head.append(cell);
        }
        const body = table.createTBody();
        hypothesis.attention.forEach((row, t) => {
            const tr = body.insertRow();
            const name = element('th', '', hypothesis.target_tokens[t]);
            name.scope = 'row';
            tr.append(name);
            for (const weight of row) {
                const cell = tr.insertCell();
                cell.textContent = weight.toFixed(2);
                cell.style.setProperty('--weight', (weight * 0.85).toFixed(3));
            }
        });
        $('table').replaceChildren(table);
    }

    /* -------------------------------------------------------------- pointing */

    function clearShades() {
        for (const word of document.querySelectorAll('.word, .end')) {
            word.style.removeProperty('--weight');
            word.classList.remove('on');
        }
    }

    /* Shades the words of the other side by how much they and this one have to do with each other. */
    function shade(word) {
        clearShades();
        const lineIndex = Number(word.dataset.line), token = Number(word.dataset.token);
        const hypothesis = lines[lineIndex] && best(lines[lineIndex]);
        if (!hypothesis) {
            return;
        }
        word.classList.add('on');
        const isTarget = word.dataset.side === 'target';
        const other = isTarget ? 'source' : 'target';
        for (const o of $(other).querySelectorAll(`[data-line="${lineIndex}"]`)) {
            const t = isTarget ? token : Number(o.dataset.token);
            const s = isTarget ? Number(o.dataset.token) : token;
            o.style.setProperty('--weight', (hypothesis.attention[t][s] * 0.85).toFixed(3));
        }
    }

    for (const side of ['source', 'target']) {
        $(side).addEventListener('pointerover', (event) => {
            const word = event.target.closest('[data-token]');
            if (word) {
                shade(word);
                select(Number(word.dataset.line));
            }
        });
        $(side).addEventListener('pointerleave', clearShades);
        $(side).addEventListener('focusin', (event) => {
            const word = event.target.closest('button.word');
            if (word) {
                shade(word);
                select(Number(word.dataset.line));
            }
        });
        $(side).addEventListener('focusout', clearShades);
        $(side).addEventListener('keydown', moveAmongWords);
    }

    function select(lineIndex) {
        if (lineIndex !== current && lines[lineIndex]) {
            current = lineIndex;
            drawCurrent();
        }
    }

    /* Arrow keys, Home and End; only one word of a side is a stop of the Tab key. */
    function moveAmongWords(event) {
        const words = [...event.currentTarget.querySelectorAll('button.word')];
        const at = words.indexOf(document.activeElement);
        const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
        let next = step && at >= 0 ? at + step : -1;
        next = event.key === 'Home' ? 0 : event.key === 'End' ? words.length - 1 : next;
        if (words[next]) {
            event.preventDefault();
            words.forEach((w) => { w.tabIndex = -1; });
            words[next].tabIndex = 0;
            words[next].focus();
        }
    }

    /* ------------------------------------------------- another continuation */

    let choosing = null; /* {line, focus}: what the list of continuations belongs to */

    function closeChoices() {
        $('choices').hidden = true;
        if (choosing && choosing.focus.isConnected) {
            choosing.focus.focus();
        }
        choosing = null;
    }

    async function openChoices(word) {
        const lineIndex = Number(word.dataset.line), token = Number(word.dataset.token);
        const line = lines[lineIndex];
        const hypothesis = best(line);
        const before = cut(hypothesis.target, hypothesis.target_spans).upTo(hypothesis.target_spans[token][0]);
        choosing = {line, focus: word};
        const mine = choosing;
        $('choices-title').textContent = before.trim() ? `After \u201c${before.trim()}\u201d` : 'Begin with';
        $('choices-list').replaceChildren(element('li', '', '\u2026'));
        $('choices').hidden = false;
        $('choices-close').focus();
        shade(word); /* the focus has left it, but the list is about it */
        let found;
        try {
            const body = {...settings(), text: line.source, n_best: N_CHOICES, beam_size: CHOICES_BEAM};
            if (before.trimEnd()) {
                body.prefix = before.trimEnd();
            }
            found = (await ask(body))[0].hypotheses;
        } catch (error) {
            say(error.message, true);
            closeChoices();
            return;
        }
        if (choosing !== mine) {
            return;
        }
        showChoices(found, before, mine);
    }

    /* A button for each word that a hypothesis goes on with, the best of them first. */
    function showChoices(found, before, mine) {
        const from = encoder.encode(before.trimEnd()).length;
        const seen = new Set();
        const items = [];
        for (const h of found) {
            const {parts, upTo} = cut(h.target, h.target_spans);
            const next = parts.find((part) => part.end > from);
            const name = next ? next.word : '(end)';
            if (seen.has(name)) {
                continue;
            }
            seen.add(name);
            const button = element('button', '', name);
            button.type = 'button';
            button.title = h.target;
            button.addEventListener('click', () => choose(mine.line, h, next ? upTo(next.end) : h.target, found));
            const item = element('li');
            item.append(button);
            items.push(item);
        }
        $('choices-list').replaceChildren(...items);
        if (mine.line.prefix) {
            const button = element('button', '', 'Let it choose');
            button.type = 'button';
            button.addEventListener('click', () => {
                mine.line.prefix = '';
                closeChoices();
                translate();
            });
            const item = element('li');
            item.append(button);
            $('choices-list').append(item);
        }
        const first = $('choices-list').querySelector('button');
        if (first) {
            first.focus();
        }
    }

    function choose(line, hypothesis, prefix, found) {
        line.prefix = prefix;
        line.hypotheses = [hypothesis, ...found.filter((h) => h !== hypothesis && h.target.startsWith(prefix))];
        $('choices').hidden = true;
        choosing = null;
        draw();
        const lineIndex = lines.indexOf(line);
        const words = [...$('target').querySelectorAll(`button.word[data-line="${lineIndex}"]`)];
        const last = words.filter((w) => w.classList.contains('forced')).pop();
        if (last) {
            last.focus();
        }
        $('live').textContent = hypothesis.target;
    }

    $('target').addEventListener('click', (event) => {
        const word = event.target.closest('button.word');
        if (word) {
            openChoices(word);
        }
    });
    $('choices-close').addEventListener('click', closeChoices);
    document.addEventListener('keydown', (event) => {
        if (event.key === 'Escape' && choosing) {
            closeChoices();
        }
    });

    /* ----------------------------------------------------------- translating */

    async function translate() {
        const texts = $('text').value.replace(/\r/g, '').split('\n');
        while (texts.length > 0 && texts[texts.length - 1].trim() === '') {
            texts.pop();
        }
        if (pending) {
            pending.abort();
            pending = null;
        }
        if (texts.length === 0) {
            lines = [];
            draw();
            say('');
            return;
        }
        const request = new AbortController();
        pending = request;
        /* A line that did not change keeps what the user has fixed of it. */
        const prefixes = texts.map((text, i) => (lines[i] && lines[i].source === text && lines[i].prefix) || '');
        try {
            const began = performance.now();
            const found = await ask({...settings(), text: texts, n_best: N_ALTERNATIVES, prefix: prefixes},
                                    request.signal);
            if (pending !== request) {
                return;
            }
            pending = null;
            lines = texts.map((source, i) => ({source, prefix: prefixes[i], hypotheses: found[i].hypotheses}));
            current = Math.min(current, lines.length - 1);
            draw();
            $('live').textContent = lines.map((line) => best(line).target).join('\n');
            say(`Translated in ${Math.round(performance.now() - began)} ms.`);
        } catch (error) {
            if (error.name !== 'AbortError') {
                pending = null;
                say(error.message, true);
            }
        }
    }

    function later() {
        clearTimeout(timer);
        timer = setTimeout(translate, WAIT);
    }

    $('text').addEventListener('input', () => {
        if (choosing) {
            $('choices').hidden = true;
            choosing = null;
        }
        later();
    });
    $('model').addEventListener('change', () => {
        lines.forEach((line) => { line.prefix = ''; });
        translate();
    });
    $('clear').addEventListener('click', () => {
        $('text').value = '';
        translate();
        $('text').focus();
    });
    $('copy').addEventListener('click', async () => {
        const text = lines.map((line) => best(line).target).join('\n');
        try {
            await navigator.clipboard.writeText(text);
            say('Copied.');
        } catch (error) {
            /* Without a secure context there is no clipboard; select the text instead. */
            getSelection().selectAllChildren($('target'));
            say(document.execCommand('copy') ? 'Copied.' : 'Selected; copy it with the keyboard.');
        }
    });

    fetch('/health').then((answer) => answer.json()).then((health) => {
        for (const name of health.models) {
            $('model').append(new Option(name, name));
        }
        $('model-label').hidden = health.models.length < 2;
        if ($('text').value) {
            translate();
        }
    }).catch(() => say('The server does not answer.', true));
})();
