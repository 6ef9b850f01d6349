// SPIR-V as text, near enough to what spirv-dis writes to be read by the same people.
// Each opcode: its name and what its words are. T result type, R result, i id, l literal, s string, C S D B E M
// names from the lists below, + the last kind repeats, ? the rest may be missing.

const ops = new Map(Object.entries({
    3: 'Source l+', 5: 'Name i s', 6: 'MemberName i l s', 10: 'Extension s', 11: 'ExtInstImport R s', 12: 'ExtInst T R i l i+', 14: 'MemoryModel A M', 15: 'EntryPoint E i s i+', 16: 'ExecutionMode i l+', 17: 'Capability C',
    19: 'TypeVoid R', 20: 'TypeBool R', 21: 'TypeInt R l l', 22: 'TypeFloat R l', 23: 'TypeVector R i l', 25: 'TypeImage R i l+', 26: 'TypeSampler R', 27: 'TypeSampledImage R i', 28: 'TypeArray R i i', 29: 'TypeRuntimeArray R i', 30: 'TypeStruct R i+', 32: 'TypePointer R S i', 33: 'TypeFunction R i+', 39: 'TypeForwardPointer i S',
    41: 'ConstantTrue T R', 42: 'ConstantFalse T R', 43: 'Constant T R l+', 44: 'ConstantComposite T R i+', 46: 'ConstantNull T R', 48: 'SpecConstantTrue T R', 49: 'SpecConstantFalse T R', 50: 'SpecConstant T R l+', 51: 'SpecConstantComposite T R i+', 52: 'SpecConstantOp T R l i+',
    54: 'Function T R l i', 55: 'FunctionParameter T R', 56: 'FunctionEnd', 57: 'FunctionCall T R i+', 59: 'Variable T R S i+', 61: 'Load T R i l+', 62: 'Store i i l+', 65: 'AccessChain T R i+', 67: 'PtrAccessChain T R i+', 71: 'Decorate i D l+', 72: 'MemberDecorate i l D l+',
    77: 'VectorExtractDynamic T R i+', 79: 'VectorShuffle T R i i l+', 80: 'CompositeConstruct T R i+', 81: 'CompositeExtract T R i l+', 82: 'CompositeInsert T R i i l+', 83: 'CopyObject T R i',
    109: 'ConvertFToU T R i', 110: 'ConvertFToS T R i', 111: 'ConvertSToF T R i', 112: 'ConvertUToF T R i', 113: 'UConvert T R i', 114: 'SConvert T R i', 115: 'FConvert T R i', 117: 'ConvertPtrToU T R i', 120: 'ConvertUToPtr T R i', 124: 'Bitcast T R i', 126: 'SNegate T R i', 127: 'FNegate T R i',
    224: 'ControlBarrier i i i', 225: 'MemoryBarrier i i', 228: 'AtomicStore i i i i', 245: 'Phi T R i+', 246: 'LoopMerge i i l', 247: 'SelectionMerge i l', 248: 'Label R', 249: 'Branch i', 250: 'BranchConditional i i i l+', 251: 'Switch i i l+', 252: 'Kill', 253: 'Return', 254: 'ReturnValue i', 255: 'Unreachable',
}));
// Those that have a type, a result and operands that are ids.
for (const [first, names] of [[128, 'IAdd FAdd ISub FSub IMul FMul UDiv SDiv FDiv UMod SRem SMod FRem FMod VectorTimesScalar'], [149, 'IAddCarry ISubBorrow UMulExtended SMulExtended'], [154, 'Any All IsNan IsInf'],
    [164, 'LogicalEqual LogicalNotEqual LogicalOr LogicalAnd LogicalNot Select IEqual INotEqual UGreaterThan SGreaterThan UGreaterThanEqual SGreaterThanEqual ULessThan SLessThan ULessThanEqual SLessThanEqual FOrdEqual FUnordEqual FOrdNotEqual FUnordNotEqual FOrdLessThan FUnordLessThan FOrdGreaterThan FUnordGreaterThan FOrdLessThanEqual FUnordLessThanEqual FOrdGreaterThanEqual FUnordGreaterThanEqual'],
    [194, 'ShiftRightLogical ShiftRightArithmetic ShiftLeftLogical BitwiseOr BitwiseXor BitwiseAnd Not BitFieldInsert BitFieldSExtract BitFieldUExtract BitReverse BitCount'], [227, 'AtomicLoad'],
    [229, 'AtomicExchange AtomicCompareExchange AtomicCompareExchangeWeak AtomicIIncrement AtomicIDecrement AtomicIAdd AtomicISub AtomicSMin AtomicUMin AtomicSMax AtomicUMax AtomicAnd AtomicOr AtomicXor'],
    [333, 'GroupNonUniformElect GroupNonUniformAll GroupNonUniformAny GroupNonUniformAllEqual GroupNonUniformBroadcast GroupNonUniformBroadcastFirst GroupNonUniformBallot'], [345, 'GroupNonUniformShuffle GroupNonUniformShuffleXor GroupNonUniformShuffleUp GroupNonUniformShuffleDown'], [5056, 'ReadClockKHR'], [6035, 'AtomicFAddEXT']])
    names.split(' ').forEach((name, k) => ops.set(String(first + k), `${name} T R i+`));

const lists = {
    A: { 0: 'Logical', 2: 'Physical64', 5348: 'PhysicalStorageBuffer64' }, M: { 1: 'GLSL450', 3: 'Vulkan' }, E: { 5: 'GLCompute' },
    C: { 1: 'Shader', 9: 'Float16', 10: 'Float64', 11: 'Int64', 12: 'Int64Atomics', 22: 'Int16', 39: 'Int8', 61: 'GroupNonUniform', 62: 'GroupNonUniformVote', 64: 'GroupNonUniformBallot', 65: 'GroupNonUniformShuffle', 4433: 'StorageBuffer16BitAccess', 4448: 'StorageBuffer8BitAccess', 4464: 'DenormPreserve', 4466: 'SignedZeroInfNanPreserve', 4467: 'RoundingModeRTE', 5055: 'ShaderClockKHR', 5345: 'VulkanMemoryModel', 5346: 'VulkanMemoryModelDeviceScope', 5347: 'PhysicalStorageBufferAddresses', 6033: 'AtomicFloat32AddEXT', 6034: 'AtomicFloat64AddEXT' },
    S: { 0: 'UniformConstant', 1: 'Input', 2: 'Uniform', 3: 'Output', 4: 'Workgroup', 6: 'Private', 7: 'Function', 9: 'PushConstant', 12: 'StorageBuffer', 5349: 'PhysicalStorageBuffer' },
    D: { 1: 'SpecId', 2: 'Block', 6: 'ArrayStride', 11: 'BuiltIn', 20: 'Aliased', 24: 'NonWritable', 33: 'Binding', 34: 'DescriptorSet', 35: 'Offset', 39: 'FPRoundingMode', 42: 'NoContraction', 44: 'Alignment', 5355: 'RestrictPointer', 5356: 'AliasedPointer' },
};

function names(words) {
    const out = new Map(), seen = new Set();
    for (let at = 5; at < words.length; at += words[at] >>> 16 || 1)
        if ((words[at] & 0xffff) === 5) {
            let name = string(words, at + 2)[0] || String(words[at + 1]);
            if (seen.has(name)) name = `${name}_${words[at + 1]}`;
            seen.add(name);
            out.set(words[at + 1], name);
        }
    return out;
}

function string(words, at) {
    const bytes = new Uint8Array(words.buffer, words.byteOffset + 4 * at), end = bytes.indexOf(0);
    return [new TextDecoder().decode(bytes.subarray(0, end)), Math.floor(end / 4) + 1];
}

/** Text of a module given as bytes. */
export function disassemble(bytes) {
    const words = new Uint32Array(new Uint8Array(bytes).buffer), known = names(words), id = n => `%${known.get(n) ?? n}`;
    const lines = [`; SPIR-V ${words[1] >> 16 & 255}.${words[1] >> 8 & 255}, ${words[3]} ids`];
    for (let at = 5; at < words.length;) {
        const count = words[at] >>> 16, code = words[at] & 0xffff, end = at + count;
        if (!count) break;
        const [name, ...kinds] = (ops.get(String(code)) ?? `${code} l+`).split(' ');
        let result = '', text = `Op${name}`, k = 0;
        for (let w = at + 1; w < end; w++) {
            const kind = kinds[Math.min(k, kinds.length - 1)]?.[0] ?? 'l';
            if (kind === 'R') result = id(words[w]);
            else if (kind === 's') {
                const [s, used] = string(words, w);
                text += ` "${s}"`;
                w += used - 1;
            } else text += ` ${kind === 'i' || kind === 'T' ? id(words[w]) : lists[kind]?.[words[w]] ?? words[w]}`;
            k++;
        }
        lines.push(`${result ? `${result} = `.padStart(16) : ' '.repeat(16)}${text}`);
        at = end;
    }
    return lines.join('\n');
}
